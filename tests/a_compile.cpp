#include "/work/main/tests/compile/compile_test.cpp"
#include "/work/main/tests/compile/corpus_test.cpp"
#include "/work/main/tests/compile/tool_test.cpp"
