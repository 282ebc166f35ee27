printf "\037\213\010\000\000\000\000\000" > endless.gz
amdcompat migrate $STRICT --out new endless.gz
