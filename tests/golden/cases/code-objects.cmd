# Code objects: what they say, whether they hold together, and from one version to another.
amdcompat inspect object-gfx906.hsaco
amdcompat check object-gfx906.hsaco
amdcompat convert -v --to yaml --code-object 3 object-gfx906.hsaco
amdcompat convert -q --to elf --code-object 4 -o $OUT.hsaco object-gfx906.hsaco && amdcompat inspect - < $OUT.hsaco | head -n 3 && amdcompat verify -q object-gfx906.hsaco $OUT.hsaco
amdcompat convert -q --to elf -o $OUT.hsaco cl2-gfx900.clo && amdcompat inspect - < $OUT.hsaco && amdcompat verify -q cl2-gfx900.clo $OUT.hsaco
amdcompat convert -q --to asm cl2-gfx900.clo
amdcompat convert --to elf --target gfx803 --summary object-gfx906.hsaco
