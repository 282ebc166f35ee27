convert --kernel other FILE
