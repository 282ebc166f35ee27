amdcompat migrate -q --out new tahiti-923.clo; echo garbage > new/.amdcompat/state.sqlite
amdcompat migrate $STRICT --out new tahiti-923.clo
