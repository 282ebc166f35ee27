amdcompat migrate -q --shard 1/2 --out one tahiti-923.clo
amdcompat migrate $STRICT --merge --out all one
