"""Right loops by construction: loops drawn from a table of what right loops do differently, through the scenarios.

table.yaml  the freedoms, each with who permits it
loop        one loop on any wire, in any style
speakers    what the loop needs of each wire
draw        styles: every pair of freedoms, and at random
target      a drawn loop as a system under test
measure     drawn loops through the cases; what is found comes down to the freedoms that make it
right       the command for right loops; faults: that for loops with one fault, which faults_of_* declare
figures     what each seed has shown, in its first run
"""
