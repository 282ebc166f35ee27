# Machine code: listed, extracted, run, converted and proved. Files made on the way are in the directory of $OUT.
amdcompat inspect --isa --kernel scale pitcairn-scale.clo
amdcompat inspect --isa --encoding --kernel scale pitcairn-scale.clo | sed -n '/machine code/,$p'
amdcompat inspect --isa --cal -q pitcairn-scale-64.clo
amdcompat inspect --isa --kernel histogram cl2-tonga-code.clo | sed -n '/machine code/,$p'
amdcompat inspect --isa --lift --kernel reverse cl2-hawaii-code.clo | sed -n '/machine code/,$p'
amdcompat inspect --cal bonaire-1912-64.clo | sed -n '/^CAL image/,/PROGINFO/p'
amdcompat extract -o $OUT pitcairn-scale.clo; ls $OUT | LC_ALL=C sort
amdcompat extract -o $OUT.cl2 cl2-tonga-code.clo
amdcompat extract -o $OUT.all bonaire-1912-64.clo
# The same launch of old and new code gives the same memory.
printf '{"kernel":"scale","dim":1,"global":[8],"local":[4],"memory":[{"address":"0x100001000","bytes":"0100000002000000030000000400000005000000060000000700000008000000"}],"arguments":[{"name":"data","buffer":"0x100001000","base":"0x100000000","size":32},{"name":"factor","bytes":"03000000"}]}' > $OUT.json
amdcompat run pitcairn-scale.clo --launch $OUT.json --dump 0x100001000:32:$OUT.old
amdcompat convert --layout in-place --to elf -o $OUT.hsaco pitcairn-scale.clo && amdcompat run $OUT.hsaco --launch $OUT.json --dump 0x100001000:32:$OUT.new && cmp $OUT.old $OUT.new && od -A n -t u4 $OUT.new
amdcompat run pitcairn-scale.clo --launch $OUT.json --trace | sed -n '1,16p'
amdcompat pack -o $OUT.images --launch $OUT.json pitcairn-scale.clo; amdcompat run pitcairn-scale.clo --launch $OUT.json --cb0 $OUT.images/cb0.bin --cb1 $OUT.images/cb1.bin
head -c 16 /dev/zero > $OUT.zero; amdcompat run pitcairn-scale.clo --launch $OUT.json --cb0 $OUT.zero
printf '{"kernel":"axpy","dim":1,"global":[8],"local":[4],"memory":[{"address":4096,"bytes":"0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f"},{"address":8192,"bytes":"0000803f000000400000404000008040000080400000803f0000803f0000803f"}],"arguments":[{"name":"y","buffer":4096,"size":32},{"name":"x","buffer":8192,"size":32},{"name":"a","bytes":"00000040"},{"name":"n","bytes":"06000000"}]}' > $OUT.json
amdcompat run cl2-tonga-code.clo --launch $OUT.json --dump 4096:32:$OUT.old
amdcompat convert -q --to elf -o $OUT.hsaco cl2-tonga-code.clo && amdcompat run -q $OUT.hsaco --launch $OUT.json --dump 4096:32:$OUT.new && cmp $OUT.old $OUT.new && od -A n -t f4 $OUT.new
amdcompat convert -q --code-object 5 --to elf -o $OUT.v5 cl2-tonga-code.clo && amdcompat run -q $OUT.v5 --launch $OUT.json --dump 4096:32:$OUT.new && cmp $OUT.old $OUT.new
# Launches that cannot be.
cd ${OUT%/*} && amdcompat run -q out.hsaco --kernel histogram --launch $OUT.json
cd ${OUT%/*} && amdcompat run -q out.hsaco --kernel nobody --launch $OUT.json
cd ${OUT%/*} && amdcompat run -q out.hsaco --launch $OUT.json --cb0 $OUT.old
cd ${OUT%/*} && amdcompat run -q out.hsaco --launch $OUT.json --dump 4096:33:$OUT.new
amdcompat run -q $OUT.hsaco --launch $OUT.json --dump nonsense
cd ${OUT%/*} && amdcompat run -q out.hsaco --launch $OUT.json --instructions 20
amdcompat run cypress-1800.clo --launch $OUT.json
# Proofs.
amdcompat convert --layout in-place --prove -v --to elf -o $OUT.hsaco pitcairn-scale.clo
cp pitcairn-scale.clo cl2-tonga-code.clo ${OUT%/*}; cd ${OUT%/*} && amdcompat convert -q --layout in-place --to elf -o s.hsaco pitcairn-scale.clo && amdcompat verify --execute -v pitcairn-scale.clo s.hsaco
cd ${OUT%/*} && amdcompat convert -q --to elf -o t.hsaco cl2-tonga-code.clo && amdcompat verify -q --execute cl2-tonga-code.clo t.hsaco && amdcompat verify --execute --seed 7 --format json -v cl2-tonga-code.clo t.hsaco 2>&1 | grep -o '"code":"AC43[^}]*'
amdcompat convert --prove -v --to elf -o $OUT.hsaco cl2-hawaii-code.clo 2>&1 | grep AC43
amdcompat convert --layout in-place --prove --to elf -o $OUT.hsaco pitcairn-1702.clo 2>&1 | grep AC43
amdcompat convert --prove --to yaml cl2-tonga-code.clo
amdcompat convert --layout in-place --to json pitcairn-scale.clo
amdcompat convert --layout in-place --target gfx700 --prove -v --to elf -o $OUT.hsaco pitcairn-scale.clo
amdcompat convert --layout in-place --to elf -o $OUT.hsaco cypress-1800.clo
