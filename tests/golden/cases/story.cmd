# docs/story.md shows the output of these.
cp pitcairn-scale-64.clo ${OUT%/*}; cd ${OUT%/*}; amdcompat convert --layout in-place --prove -v --to elf -o scale.hsaco pitcairn-scale-64.clo 2>&1 | grep AC
cd ${OUT%/*}; amdcompat verify --execute --seed 2 -v pitcairn-scale-64.clo scale.hsaco 2>&1
printf '{"kernel":"scale","dim":1,"global":[8],"local":[4],"memory":[{"address":4096,"bytes":"0100000002000000030000000400000005000000060000000700000008000000"}],"arguments":[{"buffer":4096,"size":32},{"bytes":"03000000"}]}' > $OUT.json
cd ${OUT%/*}; amdcompat run scale.hsaco --launch out.json --dump 4096:32:data; od -A n -t u4 data
cd ${OUT%/*}; amdcompat inspect scale.hsaco | sed -n '/kernel scale/,$p'
