#!/usr/bin/env bash
# Prints what an order costs: the sum of its prices, in whole euros.
sum=0
for price in "$@"; do
    sum=$((sum + price))
done
echo "$sum"
