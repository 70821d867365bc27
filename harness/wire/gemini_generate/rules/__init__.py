"""What Gemini demands of a request: each rule above its check. Ids come from the wire document (section 5).

book       all of them, and in which order the API complains
request    a request as the checks look at it; history its turns, issued what the endpoint sent, matching the two
shape, content, pairing, signatures, returned, settings, tools   the rules
"""
