tar czf old.tgz tahiti-923.clo && head -c 300 old.tgz > cut.tgz
amdcompat migrate $STRICT --out new cut.tgz
