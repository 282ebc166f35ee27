layout FILE >/dev/null
