# The tables behind the pictures, and pictures of characters.
encode-plot position -f data -n 4 --width 8
encode-plot position --kind cosine --width 16 -n 8 -f data
encode-plot position --position binary -n 9 --width 4 -f data --kind distance
encode-plot position --position fourier --frequencies 0.1,0.2 --width 4 -n 5 -f data
encode-plot position --position exponential -n 5 --width 4 -f data
encode-plot position -n 3 -f data --kind correlation
encode-plot position -m learned.weights -f data --kind distance
encode-plot position -m learned.weights -f data 'a b a'; encode-plot position -m toy.weights --kind cosine 'I ride' --beside binary; encode-plot position -m toy.weights --kind waves --dims 0,1 -f data 'I ride'
encode-plot attention 'I ride bike' --head 1 -f data
encode-plot words 'I ride bike' 'bike ride I' -f data
encode-plot layers 'the cat sat' -f data
encode-plot order 'man bites dog' -f data
encode-plot similarity -f data <lines
