amdcompat migrate -q --shard 1/2 --out one tahiti-923.clo; amdcompat migrate -q --shard 2/3 --out two tahiti-923.clo
amdcompat migrate $STRICT --merge --out all one two
