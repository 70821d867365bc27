"""Small things that every room may use, and that know nothing of tool-calling loops.

disk            files that are whole at every moment, locks, and words for a disk that fails
bounded_json, bounded_yaml   values out of files, no deeper and no larger than the reader can bear
data_files      tables that lie beside the code, as YAML
json_places     where in the text of a JSON document a value stands
encoding        bytes as text
cached          a property that is computed once
collecting      how often the garbage collector runs
signals         what ends the process
"""
