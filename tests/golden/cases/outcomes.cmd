# What is asked for decides the status.
amdcompat convert --to elf -o $OUT.hsaco values-32.amdil; test -e $OUT.hsaco || echo nothing written
amdcompat convert --to elf --layout natural --summary -o $OUT.hsaco values-32.amdil
cd ${OUT%/*} && amdcompat convert --layout in-place -o o.hsaco $OLDPWD/pitcairn-scale.clo && head -c 4 o.hsaco | od -An -c
cd ${OUT%/*} && amdcompat convert --layout in-place -o o.HSACO $OLDPWD/pitcairn-scale.clo && head -c 4 o.HSACO | od -An -c
cd ${OUT%/*} && amdcompat convert -o o.json $OLDPWD/values-32.amdil && head -c 12 o.json
amdcompat convert --to yaml -o out.hsaco values-32.amdil
amdcompat convert --to elf -o out.yml values-32.amdil
amdcompat convert --layout in-place --prove --summary -o $OUT.hsaco pitcairn-scale.clo
amdcompat convert --layout in-place --prove -q --summary -o $OUT.hsaco pitcairn-1702.clo
cd ${OUT%/*} && cp $OLDPWD/cl2-gfx900.clo . && amdcompat convert -q -o g.hsaco cl2-gfx900.clo; amdcompat convert -q --summary -o again.hsaco g.hsaco
cd ${OUT%/*} && cp $OLDPWD/cl2-gfx900.clo . && amdcompat convert -q -o g.hsaco cl2-gfx900.clo; amdcompat verify --execute cl2-gfx900.clo g.hsaco 2>&1 | grep -v "AC417\|^ "; amdcompat verify -q --execute cl2-gfx900.clo g.hsaco
# Of each use.
amdcompat check -q pitcairn-1702.clo; amdcompat check pitcairn-1702.clo 2>/dev/null
amdcompat check --for describe pitcairn-1702.clo
amdcompat check --for in-place pitcairn-1702.clo
amdcompat check --for object --target gfx601 pitcairn-scale.clo
amdcompat check --for object --target gfx1030 pitcairn-scale.clo
amdcompat check --for lift pitcairn-scale.clo
amdcompat check cl2-tonga-code.clo object-gfx906.hsaco
# Names act on no terminal.
cd ${OUT%/*} && printf 'x' > "$(printf 'a\033[2J.bin')" && for verb in check inspect convert 'convert --summary' roundtrip layout; do amdcompat $verb a*.bin 2>&1; done
