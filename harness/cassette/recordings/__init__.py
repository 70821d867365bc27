"""Recordings of other tools, in one form.

recording   an exchange with a model, and all of a recording
corpus      a folder with all exchanges in one file
foreign     a folder of files in any known format
as_sent     a response as its server sent it, with what recorders change undone
"""
