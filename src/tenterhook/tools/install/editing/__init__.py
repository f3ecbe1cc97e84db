"""Edit config files in place: JSON, TOML and YAML keep their comments and layout."""
