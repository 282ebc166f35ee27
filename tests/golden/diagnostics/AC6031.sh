amdcompat migrate -q --shard 1/1 --out one tahiti-923.clo; echo "{" >> one/manifest.jsonl
amdcompat migrate $STRICT --merge --out all one
