"""Secrets: taken out of what is recorded, and looked for once more in the finished file.

redactor = Redactor({"OPENAI_API_KEY": key}, [Pattern("customer", re.compile(r"C-\\d{6}"))])    redactor, finder
redactor.redact(interaction)           the interaction as a cassette may keep it
scan(text_of_the_file, [key])          the leaks in it: none, or the file must not be kept         scan
"""
