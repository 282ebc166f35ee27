# docs/quickstart.md shows the output of these.
cp pitcairn-scale-64.clo ${OUT%/*}; cd ${OUT%/*}; amdcompat doctor --compiler none --gpu 'RX 6800' pitcairn-scale-64.clo
printf '{"global":[8],"local":[4],"arguments":[{"buffer":4096,"size":32},{"value":3,"type":"uint"}],"memory":[{"address":4096,"bytes":"0100000002000000030000000400000005000000060000000700000008000000"}]}' > $OUT.json
cd ${OUT%/*}; amdcompat run --launch out.json --dump 4096:32:data pitcairn-scale-64.clo; od -A n -t u4 data
cd ${OUT%/*}; amdcompat lift -o scale.cl pitcairn-scale-64.clo; tail -n 5 scale.cl
cd ${OUT%/*}; amdcompat convert --layout in-place --prove -v --to elf -o scale.hsaco pitcairn-scale-64.clo 2>&1 | grep AC
