# Models of random numbers, in every shape that encode-new has.
encode-new -o a.weights --width 8 && encode -m a.weights 'I ride bike'
encode-new -o list.weights --tokenizer list --keras --width 8 --layers 1
encode-new -o keras.weights --tokenizer keras.json --add-token '[CLS]' --width 8 --layers 1 && encode -m keras.weights --all 'I, ride CAT mat'
encode-new -o fit.weights --fit lines --oov '<x>' --min-count 1 --num-words 9 --width 8 --layers 1 && encode -m fit.weights -f json 'The cat rides'
encode-new -o none.weights --position none --words 'I ride bike' --width 8 && encode -m none.weights -f csv 'I ride bike'
encode -m learned.weights 'bike I'
encode-new -o index.weights --position index --words 'I ride bike' --width 8 && encode -m index.weights --all 'bike I'
encode-new -o binary.weights --position binary --words 'I ride bike' --width 8 && encode -m binary.weights --all 'bike I'
encode-new -o fourier.weights --position fourier --frequencies 0.1,0.2,0.3,0.4 --words 'I ride bike' --width 8 && encode -m fourier.weights --all 'bike I'
encode-new -o exp.weights --position exponential --position-base 50 --words 'I ride bike' --width 8 && encode -m exp.weights --all 'bike I'
encode -m rms.weights -p model -f json 'I ride bike'
encode-new -o int8.weights --words 'I ride bike' --width 16 --type int8 --layout rows && encode -m int8.weights 'I ride bike'
encode-new -o pair.weights --words 'I ride bike' --token-types 2 --add-token '[CLS]' --add-token '[SEP]' --template-single '[CLS]:0 A:0 [SEP]:0' --template-pair '[CLS]:0 A:0 [SEP]:0 B:1 [SEP]:1' && encode -m pair.weights --pair 'bike I' 'I ride'
encode-new -o mask.weights --words 'I ride bike [MASK]' --head mask --head-tied yes --head-dense gelu --head-norm yes && encode -m mask.weights --fill 'I ride [MASK]'
encode-new -o project.weights --words 'I ride bike' --width 8 --projections 2 --projection-activation tanh --embedding-width 4 && encode -m project.weights -p model -f csv 'I ride'
encode-new --seed 1
encode-new -o no.weights --width 100 --heads 7
encode-new -o no.weights --activation tanh
encode-new -o no.weights --template-single 'B:0'
encode-new --nonsense
ls no.weights
