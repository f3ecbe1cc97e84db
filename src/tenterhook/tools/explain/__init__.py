"""Why a hook ran or did not, and what its answer would do."""
