"""How a dialect is written: the dialect, its events, exits and answers, config files, and the words that it may use."""
