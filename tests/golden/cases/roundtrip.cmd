# Every form of every family; one that cannot hold a name says where.
amdcompat roundtrip --all tahiti-923.clo cl2-gfx900.clo images.amdil crlf.amdil queue.hsail-md no-kernels.clo
amdcompat convert -q --to elf -o $OUT.hsaco tahiti-923.clo --layout in-place && amdcompat roundtrip --all - < $OUT.hsaco
LC_ALL=C sed 's/:plane:/:pl\xe4ne:/' images.amdil | amdcompat roundtrip -q --all -
LC_ALL=C sed 's/Name: p, Size: 8, Align: 8,/Size: 9999999999, Align: 8,/' ../broken/AC4204.bin | amdcompat roundtrip --all -
amdcompat roundtrip -q --all ../broken/AC4205.bin
