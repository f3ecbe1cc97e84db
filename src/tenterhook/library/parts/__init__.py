"""Code that the library's hooks share: words for decisions, the guard's rules, a session's state, texts for people."""
