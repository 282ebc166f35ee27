convert --to text FILE
