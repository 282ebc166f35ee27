echo hello > hello.txt
amdcompat migrate $STRICT --out new hello.txt
