"""What hooks of the library share: words for decisions, the guard's rules, a session's state, texts for people."""
