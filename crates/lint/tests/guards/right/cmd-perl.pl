#!/usr/bin/env perl
use strict;
use warnings;
use JSON::PP;

local $/;
my $event = decode_json(<STDIN>);
my $command = $event->{tool_input}{command} // '';
if ($command =~ /\brm\s+-rf\b/) {
    print STDERR "rm -rf is blocked\n";
    exit 2;
}
exit 0;
