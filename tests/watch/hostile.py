"""What a model might say to harm whoever looks. What runs tells its name; what asks, asks for a host of its name."""

from __future__ import annotations

from tests.watch.trap import NAMES


def _ran(name: str) -> str:
    return f"top.postMessage(&quot;{name}&quot;, &quot;*&quot;)"


def _url(name: str) -> str:
    return f"http://{name}.{NAMES}/"


PAGE = f"""<!doctype html>
<html onmouseover='{_ran("html-attribute")}'>
<head>
<base href="{_url("base")}">
<meta http-equiv="refresh" content="0; url={_url("refresh")}">
<meta http-equiv="Content-Security-Policy" content="default-src *; script-src * 'unsafe-inline'">
<script>top.postMessage("script", "*"); fetch("{_url("fetch")}")</script>
<script src="{_url("script-src")}"></script>
<script type="module">top.postMessage("module", "*")</script>
<link rel="stylesheet" href="{_url("stylesheet")}">
<link rel="preconnect" href="{_url("preconnect")}">
<link rel="prefetch" href="{_url("prefetch")}">
<link rel="preload" as="image" href="{_url("preload")}">
<link rel="icon" href="{_url("icon")}">
<style>@import "{_url("import")}"; body {{ background: url("{_url("background")}") }}</style>
<style>@font-face {{ font-family: F; src: url("{_url("font")}") }} p {{ font-family: F }}</style>
</head>
<body onload='{_ran("body-load")}'>
<p style='background: url("{_url("style-attribute")}")'>Hostile text in a hostile font</p>
<img src="{_url("image")}" onerror='{_ran("image-error")}'>
<img src="data:image/png;base64,broken" onerror='{_ran("data-image-error")}'>
<img srcset="{_url("srcset")} 2x" src="relative.png">
<svg onload='{_ran("svg-load")}'><image href="{_url("svg-image")}"/></svg>
<svg><script>top.postMessage("svg-script", "*")</script></svg>
<details open ontoggle='{_ran("toggle")}'><summary>More</summary></details>
<input autofocus onfocus='{_ran("focus")}'>
<iframe srcdoc='<script>{_ran("inner-srcdoc")}</script>'></iframe>
<iframe src='javascript:{_ran("inner-javascript")}'></iframe>
<iframe src="{_url("inner-frame")}"></iframe>
<object data="{_url("object")}"></object>
<embed src="{_url("embed")}">
<video src="{_url("video")}" poster="{_url("poster")}" autoplay></video>
<div>
<template shadowrootmode="open"><script>top.postMessage("shadow", "*")</script><img src="{_url("shadow")}"></template>
</div>
<a id="javascript" href='javascript:{_ran("link")}'>javascript</a>
<a id="away" href="{_url("link")}" ping="{_url("ping")}">away</a>
<a id="over" href="{_url("over")}" target="_top">over the page</a>
<a id="aside" href="{_url("aside")}" target="_blank">a new window</a>
<form action="{_url("form")}" method="post"><input name="secret" value="1"><button id="send">send</button></form>
<form><button id="formaction" formaction="{_url("formaction")}">send</button></form>
<math><mtext><table><mglyph><style><!--</style><img title="-->
<img src=1 onerror='{_ran("mutation")}'>"></table></mtext></math>
</body>
</html>
"""

PRESSED = ("#javascript", "#away", "#over", "#aside", "#send", "#formaction")
"""What a user may press in the page."""

TEXTS = (
    f'<img src=x onerror="{_ran("text-image")}">',
    f'<script>top.postMessage("text-script", "*")</script><img src="{_url("text-image")}">',
    f'</p></div></section><iframe srcdoc="<script>{_ran("text-frame")}</script>"></iframe>',
    f'<svg onload="{_ran("text-svg")}"></svg>',
    f'"><a href="javascript:{_ran("text-link")}">link</a><meta http-equiv="refresh" content="0; url={_url("text")}">',
    "\u202egnp.egap\u202c \u2066\u0000\u001b[2J",
)
"""For every place where a message holds text."""
