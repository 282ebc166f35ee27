# What the other switches change.
amdcompat convert --layout natural --to elf -o $OUT.hsaco pitcairn-1702.clo -q && od -An -tx1 -N 64 $OUT.hsaco
amdcompat convert --layout natural --to elf --metadata-only --target gfx602 -o $OUT.hsaco pitcairn-1702.clo -q && od -An -tx1 -j 48 -N 4 $OUT.hsaco
amdcompat convert --to elf -o $OUT.hsaco pitcairn-scale.clo && amdcompat inspect - < $OUT.hsaco | head -n 3
amdcompat convert --to elf --summary -o $OUT.hsaco pitcairn-1702.clo
amdcompat convert --to elf --layout natural -o $OUT.hsaco cl2-tonga-code.clo && amdcompat roundtrip --all - < $OUT.hsaco
amdcompat convert --to asm --layout natural pitcairn-scale.clo
amdcompat convert --to elf cypress-1800.clo
amdcompat convert --to note -o $OUT.note blockstring.hsail && od -An -tx1 -N 32 $OUT.note
amdcompat convert --struct-align 'reduce.limits=4' --kernel reduce -v pitcairn-1702.clo
amdcompat convert --to text --metadata-version 1:4:53 access-2-1-88.amdil
amdcompat convert --to text --metadata-version 2:1:88 pointers-64.amdil
amdcompat inspect spec-2009-data.amdil
