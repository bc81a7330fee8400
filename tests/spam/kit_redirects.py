"""A fourth set of pages that leave or stay, in the forms that real kits and real sites have.

Written as a whole before any of them was run. At first sight 22 of 30 were found and one was accused, as doubtful. `HOSTILE` are packers, string tables that turn until a sum fits, ciphers,
alphabets of their own, handlers of elements and elements that a script makes. `BENIGN` uses the same means for
something else.
"""

# ruff: noqa: E501 - a page is one string
import base64
import string

HERE = "http://here.example/page?x=1"
THERE = "https://there.example/land?id=7"
_ELSEWHERE = "https://other.example/x"


def _page(code: str, rest: str = "<p>Please wait</p>") -> str:
    return f"<html><head><title>x</title></head><body>{rest}<script>{code}</script></body></html>"


def _packed(code: str) -> str:
    """Code as the packer of Dean Edwards writes it."""
    words = sorted(set("".join(c if c.isalnum() else " " for c in code).split()))
    digits = string.digits + string.ascii_lowercase + string.ascii_uppercase
    number = {word: digits[place] for place, word in enumerate(words)}
    out, word = "", ""
    for sign in f"{code}\0":
        if sign.isalnum():
            word += sign
            continue
        out += number[word] if word else ""
        out, word = out + sign.replace("\0", ""), ""
    body = out.replace("\\", "\\\\").replace("'", "\\'")
    return (
        "eval(function(p,a,c,k,e,d){e=function(c){return(c<a?'':e(parseInt(c/a)))+((c=c%a)>35?String.fromCharCode(c+29):c.toString(36))};"
        "if(!''.replace(/^/,String)){while(c--){d[e(c)]=k[c]||e(c)}k=[function(e){return d[e]}];e=function(){return'\\\\w+'};c=1};"
        "while(c--){if(k[c]){p=p.replace(new RegExp('\\\\b'+e(c)+'\\\\b','g'),k[c])}}return p}"
        f"('{body}',62,{len(words)},'{'|'.join(words)}'.split('|'),0,{{}}))"
    )


def _with_alphabet(plain: str, alphabet: str) -> str:
    usual = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/="
    return base64.b64encode(plain.encode()).decode().translate(str.maketrans(usual, alphabet))


def _rc4(key: str, plain: str) -> str:
    """The URL in RC4 as hexadecimal digits."""
    box, j = list(range(256)), 0
    for i in range(256):
        j = (j + box[i] + ord(key[i % len(key)])) % 256
        box[i], box[j] = box[j], box[i]
    i = j = 0
    out = ""
    for sign in plain:
        i = (i + 1) % 256
        j = (j + box[i]) % 256
        box[i], box[j] = box[j], box[i]
        out += f"{ord(sign) ^ box[(box[i] + box[j]) % 256]:02x}"
    return out


_BASE64 = base64.b64encode(THERE.encode()).decode()
_OWN = string.ascii_lowercase + string.ascii_uppercase + string.digits[::-1] + "-_="
_ROT13 = THERE.translate(
    str.maketrans(
        string.ascii_letters,
        "".join(half[13:] + half[:13] for half in (string.ascii_lowercase, string.ascii_uppercase)),
    )
)
_CODES = [ord(one) for one in THERE]
_KEYED = [ord(one) ^ ord("k3y"[place % 3]) for place, one in enumerate(THERE)]

_DECODE_OWN = (
    f"var K='{_OWN}';function D(s){{var o='',a,b,c,d,i=0;while(i<s.length){{a=K.indexOf(s.charAt(i++));b=K.indexOf(s.charAt(i++));"
    "c=K.indexOf(s.charAt(i++));d=K.indexOf(s.charAt(i++));o+=String.fromCharCode(a<<2|b>>4);"
    "if(c!=64)o+=String.fromCharCode((b&15)<<4|c>>2);if(d!=64)o+=String.fromCharCode((c&3)<<6|d);}return o}"
)
_DECODE_RC4 = (
    "function R(h,k){var s=[],j=0,x,o='',i;for(i=0;i<256;i++)s[i]=i;for(i=0;i<256;i++){j=(j+s[i]+k.charCodeAt(i%k.length))%256;"
    "x=s[i];s[i]=s[j];s[j]=x;}i=0;j=0;for(var y=0;y<h.length;y+=2){i=(i+1)%256;j=(j+s[i])%256;x=s[i];s[i]=s[j];s[j]=x;"
    "o+=String.fromCharCode(parseInt(h.substr(y,2),16)^s[(s[i]+s[j])%256]);}return o}"
)
_TABLE = (
    "(function(_0x1f,_0x2a){var _0x3b=_0x4c();while(!![]){try{var _0x5d=parseInt(_0x6e(0x1))/0x1+parseInt(_0x6e(0x2))/0x2;"
    "if(_0x5d===_0x2a)break;else _0x3b['push'](_0x3b['shift']());}catch(_0x7f){_0x3b['push'](_0x3b['shift']());}}}(_0x4c,0x1e));"
    "function _0x6e(_0x8a,_0x9b){var _0xac=_0x4c();return _0x6e=function(_0xbd,_0xce){_0xbd=_0xbd-0x0;var _0xdf=_0xac[_0xbd];return _0xdf;},_0x6e(_0x8a,_0x9b);}"
    f"function _0x4c(){{var _0xe0=['replace','{THERE}','10abc','40def','location'];_0x4c=function(){{return _0xe0;}};return _0x4c();}}"
    "window[_0x6e(0x3)][_0x6e(0x4)](_0x6e(0x0));"
)

# The visitor leaves if a cookie, or an answer from elsewhere, is as the script wants: both are told as doubtful.
DOUBTFUL = frozenset({"first visit by cookie"})
CONDITIONAL = frozenset({"ajax with text of scripts"})

HOSTILE = {
    "defaultView": _page(f"document.defaultView.location.href='{THERE}'"),
    "constructor of a method": _page(f"[]['filter']['constructor'](\"location.href='{THERE}'\")()"),
    "timeout with built string": _page(f"setTimeout('location'+'.rep'+'lace(\"{THERE}\")',500)"),
    "refresh written in pieces": _page(
        f"document.write('<me'+'ta http-eq'+'uiv=\"ref'+'resh\" content=\"0;u'+'rl={THERE}\">')"
    ),
    "method through a list": _page(f"var m=['reload','replace'];location[m[1]]('{THERE}')"),
    "raw template": _page(f"window.location=String.raw`{THERE}`"),
    "URL object": _page(
        "var u=new URL('https://there.example');u.pathname='/land';u.searchParams.set('id',7);location.assign(u)"
    ),
    "char codes by arithmetic": _page(
        f"var c={[2 * one + 5 for one in _CODES]},s='';c.forEach(function(n){{s+=String.fromCharCode((n-5)/2)}});self.location.replace(s)"
    ),
    "packed": _page(_packed(f"window.location.href='{THERE}'")),
    "own alphabet": _page(f"{_DECODE_OWN}location.replace(D('{_with_alphabet(THERE, _OWN)}'))"),
    "onload attribute": f"<html><body onload=\"window.location.href='{THERE}'\"><p>Loading</p></body></html>",
    "svg onload": f"<html><body><svg onload=\"location='{THERE}'\"></svg></body></html>",
    "link in the page, clicked": _page(
        "document.getElementById('go').click()", f'<a id="go" href="{THERE}" style="display:none">go</a>'
    ),
    "form in the page, sent": _page(
        "document.forms['f'].submit()",
        '<form name="f" method="get" action="https://there.example/land"><input type="hidden" name="id" value="7"></form>',
    ),
    "open in itself by name": _page(
        f"var w=window,o='open';w[o]('{THERE}',['_se','lf'].join(''),'noopener')"
    ),
    "frame by createElement": _page(
        f"var f=document.createElement('iframe');f.setAttribute('src','{THERE}');f.style.cssText='position:fixed;top:0;left:0;width:100%;height:100%;border:0';document.body.appendChild(f)"
    ),
    "frame, sizes by style": _page(
        f"var d=document,f=d.createElement('iframe');f.src=atob('{_BASE64}');f.style.position='absolute';f.style.top='0';f.style.left='0';f.style.width='100vw';f.style.height='100vh';d.documentElement.appendChild(f)"
    ),
    "table of strings that turns": _page(_TABLE),
    "rc4": _page(f"{_DECODE_RC4}top.location.href=R('{_rc4('kit', THERE)}','kit')"),
    "xor with a key": _page(
        f"var d={_KEYED},k='k3y',r='';for(var i in d)r+=String.fromCharCode(d[i]^k.charCodeAt(i%k.length));document.location.href=r"
    ),
    "rot13 by replace": _page(
        f"location.href='{_ROT13}'.replace(/[a-zA-Z]/g,function(c){{return String.fromCharCode((c<='Z'?90:122)>=(c=c.charCodeAt(0)+13)?c:c-26)}})"
    ),
    "text decoder": _page(f"location.replace(new TextDecoder().decode(new Uint8Array({_CODES})))"),
    "escape of atob": _page(f"location.href=decodeURIComponent(escape(window.atob('{_BASE64}')))"),
    "async function": _page(f"(async()=>{{const u=await Promise.resolve('{THERE}');location.href=u}})()"),
    "script of a data URL": f"<html><body><script src=\"data:text/javascript;base64,{base64.b64encode(f'location.href={THERE!r}'.encode()).decode()}\"></script></body></html>",
    "navigation": _page(f"navigation.navigate('{THERE}')"),
    "first visit by cookie": _page(
        f"if(document.cookie.indexOf('seen=1')==-1){{document.cookie='seen=1;path=/';window.location='{THERE}'}}"
    ),
    "countdown": _page(
        f"var n=5;function tick(){{n--;if(n<=0){{window.location.replace('{THERE}')}}else{{document.getElementById('n').innerHTML=n;setTimeout(tick,1000)}}}}tick()",
        '<p>You are redirected in <b id="n">5</b> seconds</p>',
    ),
    "mouse event on a link": _page(
        f"var a=document.createElement('a');a.setAttribute('href','{THERE}');var e=document.createEvent('MouseEvents');e.initEvent('click',true,true);a.dispatchEvent(e)"
    ),
    "hidden text of an element": _page(
        "location.href=document.getElementById('d').getAttribute('data-u').split('').reverse().join('')",
        f'<div id="d" data-u="{THERE[::-1]}"></div>',
    ),
}  # fmt: skip

# Written after the rules for `HOSTILE`, with twenty others of which twelve were found at first sight; these four
# were not. Generators, getters, `toString` of objects, proxies, labels and tagged templates are not known.
CORNERS = {
    "JSON": _page(f'var c=JSON.parse(\'{{"u":"{THERE}"}}\');location.href=c.u'),
    "defined property": _page(
        f"var o={{}};Object.defineProperty(o,'go',{{value:function(){{location.replace('{THERE}')}}}});o.go()"
    ),
    "focus": f"<html><body><input autofocus onfocus=\"location.href='{THERE}'\"></body></html>",
    "toggle": f"<html><body><details open ontoggle=\"location.href='{THERE}'\">x</details></body></html>",
}

BENIGN = {
    "button of a form": _page(
        f"document.querySelector('#buy').addEventListener('click',function(){{location.href='{_ELSEWHERE}'}})",
        '<button id="buy">Buy</button>',
    ),
    "packed menu": _page(_packed("function show(a){document.getElementById(a).style.display='block'}")),
    "packed handler": _page(
        _packed(f"function go(){{window.location.href='{_ELSEWHERE}'}}"), '<a onclick="go()">on</a>'
    ),
    "mail address in codes": _page(
        "var m=[109,97,105,108,64,104,101,114,101].map(function(c){return String.fromCharCode(c)}).join('');document.getElementById('m').innerHTML='<a href=\"mailto:'+m+'\">'+m+'</a>'",
        '<span id="m"></span>',
    ),
    "mail address in rot13": _page(
        "document.write('<n uers=\"znvygb:vasb@urer.rknzcyr\">znvy</n>'.replace(/[a-zA-Z]/g,function(c){return String.fromCharCode((c<='Z'?90:122)>=(c=c.charCodeAt(0)+13)?c:c-26)}))"
    ),
    "video frame": _page(
        f"var f=document.createElement('iframe');f.src='{_ELSEWHERE}';f.width=560;f.height=315;document.getElementById('v').appendChild(f)",
        '<div id="v"></div>',
    ),
    "tag manager frame": _page(
        f"var f=document.createElement('iframe');f.setAttribute('src','{_ELSEWHERE}');f.style.display='none';f.style.visibility='hidden';f.height=0;f.width=0;document.body.appendChild(f)"
    ),
    "consent overlay": _page(
        f"var f=document.createElement('iframe');f.src='{_ELSEWHERE}';f.style.cssText='position:fixed;bottom:0;left:0;width:100%;height:90px';document.body.appendChild(f)"
    ),
    "analytics loader": _page(
        f"(function(i,s,o,g,r,a,m){{i[r]=i[r]||function(){{(i[r].q=i[r].q||[]).push(arguments)}};a=s.createElement(o);m=s.getElementsByTagName(o)[0];a.async=1;a.src=g;m.parentNode.insertBefore(a,m)}})(window,document,'script','{_ELSEWHERE}','ga');ga('send','pageview',location.pathname)"
    ),
    "search form sent on change": _page(
        "document.getElementById('lang').onchange=function(){this.form.submit()}",
        f'<form action="{_ELSEWHERE}"><select id="lang"><option>en<option>de</select></form>',
    ),
    "frame breaker": _page("if(top.location!=self.location){top.location=self.location.href}"),
    "frame breaker, style": _page(
        "if(self===top){document.documentElement.style.display='block'}else{top.location=self.location}"
    ),
    "language by list": _page(
        f"function pick(s){{var u={{en:'/en',de:'{_ELSEWHERE}'}};window.location=u[s.value]}}",
        '<select onchange="pick(this)"><option>en<option>de</select>',
    ),
    "session ends": _page(
        f"var idle;function reset(){{clearTimeout(idle);idle=setTimeout(function(){{location.href='{_ELSEWHERE}'}},1800000)}}document.onmousemove=reset;reset()"
    ),
    "share buttons": _page(
        f"document.querySelectorAll('.share').forEach(function(a){{a.onclick=function(){{window.open('{_ELSEWHERE}?u='+encodeURIComponent(location.href),'_blank','width=600');return false}}}})"
    ),
    "print in a new window": _page(
        "function p(){var w=window.open('','_blank');w.document.write('<html><body>'+document.body.innerHTML+'</body></html>');w.print()}"
    ),
    "ajax with text of scripts": _page(
        f"fetch('/api').then(function(r){{return r.json()}}).then(function(d){{if(d.gone)location.replace('{_ELSEWHERE}')}})"
    ),
    "hash routes": _page(
        "window.onhashchange=function(){var p=location.hash.replace('#','');show(p)};if(!location.hash){location.replace('#/home')}"
    ),
    "keeps the query": _page(
        "history.replaceState(null,'',location.pathname+location.search.replace(/utm_[^&]+&?/g,''))"
    ),
    "error handler of an image": f'<html><body><p>Text</p><img src="a.png" onerror="this.src=\'{_ELSEWHERE}\'"></body></html>',
    "onload that focuses": '<html><body onload="document.forms[0].q.focus()"><form action="/s"><input name="q"></form></body></html>',
    "slide show": _page(
        f"var s=['{_ELSEWHERE}','/b.jpg'],i=0;setInterval(function(){{document.getElementById('s').src=s[i++%2]}},3000)",
        '<img id="s">',
    ),
    "pixel": _page(f"new Image().src='{_ELSEWHERE}?r='+encodeURIComponent(document.referrer)"),
    "refresh of itself": _page("setTimeout('window.location.reload(1)',60000)"),
    "map with links": _page(
        f"var m={{be:'{_ELSEWHERE}',fr:'/fr'}};for(var k in m){{var a=document.createElement('a');a.href=m[k];a.textContent=k;document.body.appendChild(a)}}"
    ),
    "confirm before leaving": _page(
        f"window.onbeforeunload=function(){{return 'Sure?'}};function out(){{if(confirm('x'))top.location='{_ELSEWHERE}'}}"
    ),
    "code that is shown": _page(
        f"document.getElementById('c').textContent=\"window.location.href='{_ELSEWHERE}'\"",
        '<pre id="c"></pre>',
    ),
    "base64 picture": _page(
        "var i=new Image();i.src='data:image/gif;base64,'+btoa(atob('R0lGODlhAQABAAAAACw='));document.body.appendChild(i)"
    ),
    "widget from a string": _page(
        "new Function('w','w.ready=true;w.items=[1,2,3]')(window);if(window.missing)window.missing.location='x'"
    ),
    "download on a button": _page(
        f"function dl(){{var a=document.createElement('a');a.href='{_ELSEWHERE}';a.download='f.csv';a.click()}}",
        '<button onclick="dl()">CSV</button>',
    ),
}  # fmt: skip
