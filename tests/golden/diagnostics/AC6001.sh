echo "colour = 1" > policy.toml
amdcompat migrate $STRICT --policy policy.toml --out new tahiti-923.clo
