"""A third set of pages that leave or stay, written from the names of the techniques alone and combined.

Nobody looked at the rules or at the other sets for it. At first sight all were found but `with`, `Reflect.set`, a
promise and a `catch` after a function that is not known, and the query of forms. `LATER` was added with their rules.
"""

# ruff: noqa: E501 - a page is one string
import base64
from urllib.parse import quote

HERE = "http://here.example/page?x=1"
THERE = "https://there.example/land?id=7"
_ELSEWHERE = "https://other.example/x"

_BASE64 = base64.b64encode(THERE.encode()).decode()
_CODE64 = base64.b64encode(f"location.replace('{THERE}')".encode()).decode()
_UNICODE = "".join(f"%u{ord(one):04x}" for one in THERE)
_ESCAPED = "".join(f"%{ord(one):02x}" for one in THERE)
_CODES = ",".join(str(ord(one)) for one in THERE)
_XOR = ",".join(str(ord(one) ^ 13) for one in THERE)
_SHIFTED = ",".join(str(ord(one) + 5) for one in THERE)
_BACKWARDS = THERE[::-1]
_HEX = "".join(f"\\x{ord(one):02x}" for one in THERE)
_SIGNS = "".join(f"\\u{ord(one):04x}" for one in THERE)
_ROTATED = "".join(chr((ord(one) - 97 + 13) % 26 + 97) if one.islower() else one for one in THERE)
_WRITTEN = quote(f'<script>location="{THERE}"</script>', safe="")
_QUOTED = quote(THERE, safe="")

# Whether the function exists is not known, so neither is whether the visitor leaves.
IN_DOUBT = frozenset({"try catch"})


def _page(code: str) -> str:
    return f"<html><head><title>x</title><script>{code}</script></head><body></body></html>"


COMBINED = {
    "unescape to href": _page(f"window.location.href=unescape('{_ESCAPED}');"),
    "unescape unicode, replace": _page(f"var q=unescape('{_UNICODE}');top.location.replace(q)"),
    "decodeURIComponent in var": _page(f"let u=decodeURIComponent('{_QUOTED}');self.location=u"),
    "decodeURI chain": _page(f"document.location.assign(decodeURI('{THERE}'))"),
    "atob": _page(f"location.href=atob('{_BASE64}')"),
    "atob split join": _page(
        f"var p='{_BASE64[:10]}~{_BASE64[10:20]}~{_BASE64[20:]}'.split('~').join('');window['location']=atob(p)"
    ),
    "fromCharCode list": _page(f"location=String.fromCharCode({_CODES})"),
    "fromCharCode apply": _page(
        f"var c=[{_CODES}];window.location.replace(String.fromCharCode.apply(null,c))"
    ),
    "fromCharCode spread": _page(f"const c=[{_CODES}];location.assign(String.fromCharCode(...c))"),
    "fromCharCode loop xor": _page(
        f"var a=[{_XOR}],s='';for(var i=0;i<a.length;i++)s+=String.fromCharCode(a[i]^13);document.location=s;"
    ),
    "map minus": _page(
        f"location.href=[{_SHIFTED}].map(function(n){{return String.fromCharCode(n-5)}}).join('')"
    ),
    "map arrow": _page(f"location.href=[{_SHIFTED}].map(n=>String.fromCharCode(n-5)).join('')"),
    "join array": _page("var h=['https:','','there.example','land?id=7'];location.href=h.join('/')"),
    "reverse": _page(f"location.replace('{_BACKWARDS}'.split('').reverse().join(''))"),
    "reverse loop": _page(
        f"var r='{_BACKWARDS}',o='';for(var i=r.length-1;i>=0;i--){{o+=r.charAt(i)}}window.location.href=o"
    ),
    "template literal": _page("const h='there.example',p=`land?id=${3+4}`;location.href=`https://${h}/${p}`"),
    "alias location": _page(f"var l=location;l.href='{THERE}'"),
    "alias window": _page(f"var w=window,k='loca'+'tion';w[k]='{THERE}'"),
    "alias document": _page(f"var d=document;var z=d['location'];z['re'+'place']('{THERE}')"),
    "alias method bind": _page(f"var go=location.replace.bind(location);go('{THERE}')"),
    "iife params": _page(f"(function(w,l,u){{w[l]=u}})(window,'location','{THERE}')"),
    "iife arrow": _page(f"((d,u)=>{{d.location.href=u}})(document,'{THERE}')"),
    "iife bang": _page(f"!function(a,b){{a.location.assign(b)}}(this,'{THERE}');"),
    "iife nested": _page(f"(function(){{(function(x){{top.location=x}})('{THERE}')}})()"),
    "plus equals": _page("var u='https://';u+='there.';u+='example';u+='/land';u+='?id='+7;location=u"),
    "plus equals array": _page(
        "var s='';var p=['https:/','/there.ex','ample/la','nd?id=7'];for(var i in p)s+=p[i];location.href=s"
    ),
    "concat": _page("location.href='https://'.concat('there','.example','/land?id=','7')"),
    "form submit": "<body><form id=f method=get action='https://there.example/land'><input type=hidden name=id value=7></form><script>document.getElementById('f').submit()</script>",
    "form by name onload": "<body onload='document.forms[0].submit()'><form name=z action='https://there.example/land'><input name=id value=7 type=hidden></form></body>",
    "form created": _page(
        f"var f=document.createElement('form');f.action='{THERE}';f.method='post';document.body.appendChild(f);f.submit()"
    ),
    "document.write meta": _page(f'document.write(\'<meta http-equiv="refresh" content="0;url={THERE}">\')'),
    "document.write escaped": _page("document.write(unescape('" + _WRITTEN + "'))"),
    "document.write frame": _page(
        f'document.write(\'<frameset rows="100%,*"><frame src="{THERE}"></frameset>\')'
    ),
    "document.writeln iframe": f'<body><script>document.writeln(\'<iframe src="{THERE}" width="100%" height="100%" frameborder=0></iframe>\')</script></body>',
    "frame by style": f"<body style='margin:0'><iframe src='{THERE}' style='position:fixed;top:0;left:0;width:100vw;height:100vh;border:0'></iframe></body>",
    "frame by style block": f"<head><style>iframe{{position:absolute;width:100%;height:100%;border:none}}body,html{{margin:0;height:100%}}</style></head><body><iframe src='{THERE}'></iframe></body>",
    "frame inset": f"<body><iframe src='{THERE}' style='position:fixed;inset:0;width:100%;height:100%'></iframe></body>",
    "frame by script style": f"<body><script>var i=document.createElement('iframe');i.src='{THERE}';i.style.cssText='position:fixed;top:0;left:0;width:100%;height:100%';document.body.appendChild(i)</script></body>",
    "eval packed": _page(f"eval('loca'+'tion.href=\"'+'{THERE}\"')"),
    "eval atob": _page(f"eval(atob('{_CODE64}'))"),
    "new Function": _page(f"new Function('u','location.href=u')('{THERE}')"),
    "setTimeout string": _page(f"setTimeout(\"location.href='{THERE}'\",50)"),
    "setTimeout arrow": _page(f"setTimeout(()=>location.replace('{THERE}'),100)"),
    "onload listener": _page(
        f"window.addEventListener('DOMContentLoaded',function(){{location.href='{THERE}'}})"
    ),
    "window.onload": _page(f"window.onload=function(){{window.location='{THERE}'}}"),
    "hex escapes": _page(f"window['\\x6c\\x6f\\x63\\x61\\x74\\x69\\x6f\\x6e']='{_HEX}'"),
    "unicode escapes": _page(f'location.href="{_SIGNS}"'),
    "link click": _page(
        f"var a=document.createElement('a');a.href='{THERE}';document.body.appendChild(a);a.click()"
    ),
    "window.open self": _page(f"window.open('{THERE}','_self')"),
    "rot13 replace": _page(
        f"var s='{_ROTATED}'.replace(/[a-z]/g,function(c){{return String.fromCharCode((c.charCodeAt(0)-97+13)%26+97)}});location=s"
    ),
    "lookup table": _page(
        "var t='htps:/er.xamlnd?i=7',k=[0,1,1,2,3,4,5,5,1,0,6,7,6,8,6,9,10,11,2,12,6,5,12,10,13,14,15,16,14,17,18];var o='';k.forEach(function(i){o+=t[i]});location.href=o"
    ),
    "object of parts": _page(
        "var o={p:'https',h:'there.example',q:'/land?id=7'};with(o){location.href=p+'://'+h+q}"
    ),
    "switch state machine": _page(
        "var s=0,u='';while(s<4){switch(s){case 0:u+='https://';s=2;break;case 2:u+='there.example';s=3;break;case 3:u+='/land?id=7';s=9;break}}location.href=u"
    ),
    "try catch": _page(f"try{{undefinedFunction()}}catch(e){{location.href='{THERE}'}}"),
    "Reflect set": _page(f"Reflect.set(window,'location','{THERE}')"),
    "destructure": _page(f"const {{location:l}}=window;l.href='{THERE}'"),
    "class method": _page(
        f"class R{{constructor(u){{this.u=u}}go(){{location.assign(this.u)}}}}new R('{THERE}').go()"
    ),
    "promise then": _page(f"Promise.resolve('{THERE}').then(u=>{{location.href=u}})"),
    "interval": _page(f"setInterval(function(){{top.location.href='{THERE}'}},1000)"),
    "meta by dom": _page(
        f"var m=document.createElement('meta');m.httpEquiv='refresh';m.content='0;url={THERE}';document.head.appendChild(m)"
    ),
}

STAYING_COMBINED = {
    "click handler": f"<button onclick=\"location.href='{_ELSEWHERE}'\">Go</button>",
    "listener click": f"<a id=b>go</a><script>document.getElementById('b').addEventListener('click',function(){{location.href='{_ELSEWHERE}'}})</script>",
    "select nav": f"<select onchange='location=this.value'><option value='{_ELSEWHERE}'>x</select>",
    "reads location": _page("var p=location.pathname.split('/');console.log(p)"),
    "compares": _page(f"if(location.href=='{_ELSEWHERE}'){{document.title='x'}}"),
    "analytics": _page(
        "(function(i,s,o,g,r,a,m){i['GoogleAnalyticsObject']=r;a=s.createElement(o);m=s.getElementsByTagName(o)[0];a.async=1;a.src=g;m.parentNode.insertBefore(a,m)})(window,document,'script','//www.example-analytics.com/a.js','ga');ga('create','UA-1');"
    ),
    "write script src": _page("document.write('<script src=\"https://cdn.example/j.js\"><\\/script>')"),
    "hash change": _page("location.hash='top'"),
    "same page anchor": _page("if(!location.hash)location.replace('#start')"),
    "replaceState": _page("history.replaceState(null,'','/page')"),
    "popup on click": f"<a href=# onclick=\"window.open('{_ELSEWHERE}','w','width=300')\">x</a>",
    "function never called": _page(f"function logout(){{location.href='{_ELSEWHERE}'}}"),
    "small iframe video": "<iframe width=560 height=315 src='https://video.example/embed/1'></iframe><p>text</p>",
    "login form": "<form action='https://login.example/go' method=post><input name=u><input name=p type=password><button>Log in</button></form>",
    "search form script": "<form id=s action='/search'><input name=q></form><script>document.getElementById('s').addEventListener('submit',function(e){if(!this.q.value)e.preventDefault()})</script>",
    "print": _page("window.onload=function(){window.print()}"),
    "reload": _page("function r(){location.reload()} setTimeout(function(){},1)"),
    "scroll": _page("window.addEventListener('scroll',()=>{document.body.className='s'})"),
    "atob json": _page("var cfg=JSON.parse(atob('eyJhIjoxfQ=='));window.cfg=cfg"),
    "mail decode": _page(
        "var m=['a','b.example'].join('@');document.write('<a href=\"mailto:'+m+'\">'+m+'</a>')"
    ),
    "unescape text": _page("document.write(unescape('%3Cp%3Ehello%3C/p%3E'))"),
    "share url": _page(
        "var u='https://social.example/share?u='+encodeURIComponent(location.href);document.querySelector('a').href=u"
    ),
    "same site https": "<script>if(location.protocol!='https:')location.protocol='https:'</script>",
    "canonical check": _page("var c=document.querySelector('link[rel=canonical]');if(c)console.log(c.href)"),
    "ajax": _page("fetch('/api').then(r=>r.json()).then(d=>{document.title=d.t})"),
    "slideshow": _page(
        "var i=0,p=['a.jpg','b.jpg'];setInterval(function(){document.images[0].src=p[i=1-i]},3000)"
    ),
    "widget frame 100% wide": "<h1>Map</h1><p>"
    + "We are here. " * 30
    + "</p><iframe src='https://maps.example/e' width='100%' height='300'></iframe>",
    "consent frame hidden": "<p>text text</p><iframe src='https://cmp.example/c' style='display:none;width:100%;height:100%'></iframe>",
    "leave warning": _page("window.onbeforeunload=function(){return 'sure?'}"),
    "back button": "<a href='javascript:history.back()'>back</a>",
    "ad frame write": _page(
        'document.write(\'<iframe src="https://ads.example/a" width="300" height="250"></iframe>\')'
    ),
    "lang menu keys": "<script>document.onkeydown=function(e){if(e.key=='n')location.href='https://other.example/next'}</script><p>x</p>",
    "tracking pixel": _page("new Image().src='https://t.example/p?u='+escape(location.href)"),
}

LATER = {
    "with location": _page(f"with(window.location){{replace('{THERE}')}}"),
    "with, an assignment": _page(f"with(location)href='{THERE}'"),
    "with document": _page(f"with(document){{location='{THERE}'}}"),
    "with, written": _page(f"with(document)write('<meta http-equiv=refresh content=\"0;url={THERE}\">')"),
    "Reflect apply": _page(f"Reflect.apply(location.replace,location,['{THERE}'])"),
    "Reflect get": _page(f"Reflect.get(window,'location').href='{THERE}'"),
    "Object assign": _page(f"Object.assign(location,{{href:'{THERE}'}})"),
    "Object assign to the window": _page(f"Object.assign(window,{{location:'{THERE}'}})"),
    "promise of an executor": _page(
        f"new Promise(function(ok){{ok('{THERE}')}}).then(function(u){{location.assign(u)}})"
    ),
    "promise after a timeout": _page(
        f"new Promise(r=>setTimeout(()=>r('{THERE}'),500)).then(u=>location.replace(u))"
    ),
    "chain of promises": _page(
        "Promise.resolve('https://there.example').then(h=>h+'/land').then(p=>{top.location=p+'?id=7'})"
    ),
    "promise finally": _page(f"Promise.resolve().finally(()=>{{location.href='{THERE}'}})"),
    "await": _page(f"(async()=>{{const u=await Promise.resolve('{THERE}');location.href=u}})()"),
    "throw": _page(f"try{{throw new Error('x')}}catch(e){{location='{THERE}'}}"),
    "finally": _page(f"try{{nothing()}}finally{{location='{THERE}'}}"),
    "form made by a script": _page(
        "var f=document.createElement('form');f.action='https://there.example/land';f.method='GET';var i=document.createElement('input');i.name='id';i.value='7';f.appendChild(i);document.body.appendChild(f);f.submit()"
    ),
    "form that is posted": f"<form method=post id=q action='{THERE}'><input name=z value=1></form><script>q.submit()</script>",
    "form with a choice": "<form id=q action='https://there.example/land'><input type=radio name=id value=3><input type=radio name=id value=7 checked><input type=submit name=go></form><script>document.getElementById('q').submit()</script>",
}

STAYING_LATER = {
    "tries a feature": _page("try{localStorage.setItem('a',1)}catch(e){document.body.className='nostore'}"),
    "promise without a redirect": _page("Promise.resolve(1).then(function(){document.title='x'})"),
    "promise after a click": _page(
        f"document.querySelector('a').onclick=()=>Promise.resolve().then(()=>{{location.href='{_ELSEWHERE}'}})"
    ),
    "options": _page("var o=Object.assign({},{a:1},{location:'Berlin'});console.log(o)"),
    "with Math": _page("with(Math){var x=floor(2.5)}"),
    "function never called": _page(f"async function go(){{await fetch('/x');location.href='{_ELSEWHERE}'}}"),
    "Reflect on its own object": _page("var o={};Reflect.set(o,'location','x')"),
}
