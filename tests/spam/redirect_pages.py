"""Pages that leave by a script or a frame, each in another way, and pages that stay.

`HELD_OUT` and `STAYING_HELD_OUT` were written before the scripts were first folded and are never used to
change the rules. The keys are unique over all lists.
"""

# ruff: noqa: E501 - a page is one string
import base64
from urllib.parse import quote

HERE = "http://start.test/page"
THERE = "https://farm.test/go?x=1"
ELSEWHERE = "https://other.test/"

_ESCAPED = "".join(f"%{ord(one):02x}" for one in THERE)
_CODES = ",".join(str(ord(one)) for one in THERE)
_HEX = "".join(f"\\x{ord(one):02x}" for one in THERE)
_BASE64 = base64.b64encode(THERE.encode()).decode()
_BACKWARDS = THERE[::-1]
_LETTERS = ",".join(f"'{one}'" for one in THERE)
_SHIFTED = ",".join(str(ord(one) + 3) for one in THERE)
_CODE = f"window.location='{THERE}'"


def _script(code: str) -> str:
    return f"<html><head><script>{code}</script></head><body></body></html>"


LEAVING = {
    # strings
    "unescape": _script(f"location.href = unescape('{_ESCAPED}')"),
    "unescape of code": _script(f"eval(unescape('{quote(_CODE)}'))"),
    "decodeURIComponent": _script(f"window.location = decodeURIComponent('{quote(THERE, safe='')}');"),
    "atob": _script(f"location.replace(atob('{_BASE64}'))"),
    "window.atob in a variable": _script(f"var k='{_BASE64}';var u=window.atob(k);top.location.href=u;"),
    "fromCharCode": _script(f"location = String.fromCharCode({_CODES})"),
    "fromCharCode.apply": _script(f"var c=[{_CODES}];location=String.fromCharCode.apply(null,c);"),
    "fromCharCode in a loop": _script(
        f"var a=[{_SHIFTED}],s='';for(var i=0;i<a.length;i++){{s+=String.fromCharCode(a[i]-3)}}location.href=s"
    ),
    "join": _script(f"window.location.href = [{_LETTERS}].join('')"),
    "join of words": _script("location=['https:','','farm.test','go?x=1'].join('/')"),
    "reverse": _script(f"location.href='{_BACKWARDS}'.split('').reverse().join('')"),
    "replace of a filler": _script("location='hQtQtps:Q//faQrm.tesQt/go?x=1'.replace(/Q/g,'')"),
    "split and join": _script("location.assign('https:##farm.test#go?x=1'.split('#').join('/'))"),
    "concat": _script("location='https://'.concat('farm.test','/go?x=1')"),
    "substring": _script(f"var z='zz{THERE}yy';document.location=z.substring(2,z.length-2)"),
    "template literal": _script("const h='farm.test';const q=1;location.href=`https://${h}/go?x=${q}`"),
    "hex string": _script(f'window["\\x6c\\x6f\\x63\\x61\\x74\\x69\\x6f\\x6e"]="{_HEX}"'),
    # aliases
    "alias of location": _script(f"var l=window.location;l.href='{THERE}'"),
    "alias of window": _script(f"var w=window;w['loc'+'ation']='{THERE}'"),
    "alias of document": _script(f"var d=document;d.location.replace('{THERE}')"),
    "alias of replace": _script(f"var go='rep'+'lace';location[go]('{THERE}')"),
    "computed href": _script(f"var p=['hr','ef'];window.location[p.join('')]='{THERE}'"),
    "IIFE parameters": _script(f"(function(w,u){{w.location=u}})(window,'{THERE}')"),
    "IIFE arrow": _script(f"((d,u)=>{{d.location.href=u}})(document,'{THERE}')"),
    "IIFE with a bang": _script(f"!function(a,b){{a[b]='{THERE}'}}(window,'location')"),
    "this of a function": _script(f"(function(){{this.location='{THERE}'}})()"),
    # code
    "plus assign": _script("var u='https://';u+='farm.test';u+='/go?x=1';location=u"),
    "return value": _script(f"function u(){{return '{THERE}'}} location.href=u()"),
    "function with an argument": _script(f"function go(u){{window.location.href=u}} go('{THERE}')"),
    "object property": _script(f"var c={{to:{{url:'{THERE}'}}}};location=c.to.url"),
    "timer with a string": _script(f"setTimeout('location.href=\"{THERE}\"',100)"),
    "timer with a function": _script(f"setTimeout(function(){{window.location.href='{THERE}'}},3000)"),
    "timer with a name": _script(f"function r(){{location.href='{THERE}'}}window.setTimeout(r,10)"),
    "condition that holds": _script(f"if(1==1&&'a'.length>0){{location='{THERE}'}}"),
    "both branches": _script(f"if(x.y){{location='{THERE}'}}else{{location='{THERE}'}}"),
    "try": _script(f"try{{top.location='{THERE}'}}catch(e){{window.location='{THERE}'}}"),
    "new Function": _script(f"new Function(\"location='{THERE}'\")()"),
    "onload property": _script(f"window.onload=()=>{{location.href='{THERE}'}}"),
    "body onload": f"<body onload=\"go()\"><script>function go(){{location.href='{THERE}'}}</script>",
    "jquery attr": _script(f"$(location).attr('href','{THERE}')"),
    # forms, writing and frames
    "form submit": f"<form id=f action='{THERE}' method=post></form><script>document.getElementById('f').submit()</script>",
    "form by number": f"<form action='{THERE}'></form><script>document.forms[0].submit();</script>",
    "form by name on load": f"<body onload='document.go.submit()'><form name=go action='{THERE}'></form>",
    "created form": _script(
        f"var f=document.createElement('form');f.action='{THERE}';document.body.appendChild(f);f.submit()"
    ),
    "write a refresh": _script(f'document.write(\'<meta http-equiv="refresh" content="0;url={THERE}">\')'),
    "write a frame": _script(
        f"document.write('<ifr'+'ame src=\"{THERE}\" width=\"100%\" height=\"100%\"></ifr'+'ame>')"
    ),
    "write a frameset": _script(
        f'document.writeln(unescape(\'%3Cframeset rows="100%25,*"%3E%3Cframe src="{THERE}"%3E%3C/frameset%3E\'))'
    ),
    "write a script": _script(f"document.write('<script>location=\"{THERE}\"<\\/script>')"),
    "frame by style": f"<iframe src='{THERE}' style='position:absolute;top:0;left:0;width:100vw;height:100vh;border:0'></iframe>",
    "frame by edges": f"<iframe src='{THERE}' style='position:fixed;top:0;left:0;right:0;bottom:0'></iframe>",
    "frame by style sheet": f"<style>html,body{{margin:0}}#f{{width:100%;height:100%;border:none}}</style><iframe id=f src='{THERE}'></iframe>",
    "created frame": _script(
        f"var f=document.createElement('iframe');f.src='{THERE}';f.style.width='100%';f.style.height='100%';"
        "document.body.appendChild(f)"
    ),
    # more code
    "packer": _script(
        "eval(function(p,a,c,k,e,d){e=function(c){return c};if(!''.replace(/^/,String)){while(c--){d[c]=k[c]||c}"
        "k=[function(e){return d[e]}];e=function(){return'\\\\w+'};c=1};while(c--){if(k[c]){p=p.replace(new "
        "RegExp('\\\\b'+e(c)+'\\\\b','g'),k[c])}}return p}('0.7=\"2://3.4/5?6=1\"',8,8,"
        "'window|1|https|farm|test|go|x|location'.split('|'),0,{}))"
    ),
    "exclusive or": _script(
        "var e='"
        + "".join(f"{ord(one) ^ 7:02x}" for one in THERE)
        + "',o='';for(var i=0;i<e.length;i+=2){o+=String.fromCharCode(parseInt(e.substr(i,2),16)^7)}location=o"
    ),
    "rot13 by a function": _script(
        "location='uggcf://snez.grfg/tb?k=1'.replace(/[a-zA-Z]/g,function(c){return String.fromCharCode("
        "(c<='Z'?90:122)>=(c=c.charCodeAt(0)+13)?c:c-26)})"
    ),
    "class": _script(f"class R{{static go(){{location='{THERE}'}}}}R.go()"),
    "prototype": _script(
        f"function A(u){{this.u=u}}A.prototype.go=function(){{location=this.u}};new A('{THERE}').go()"
    ),
    "created refresh": _script(
        f"var m=document.createElement('meta');m.httpEquiv='refresh';m.content='0;url={THERE}';"
        "document.getElementsByTagName('head')[0].appendChild(m)"
    ),
    "frame in innerHTML": _script(
        f'document.body.innerHTML=\'<iframe src="{THERE}" style="position:fixed;width:100%;height:100%"></iframe>\''
    ),
    "timer with arguments": _script(f"setTimeout(function(u){{location=u}},10,'{THERE}')"),
    "timer with a bound method": _script(f"setTimeout(location.replace.bind(location,'{THERE}'),10)"),
    "countdown": _script(
        f"var n=3;function t(){{n--;if(n<=0){{location.href='{THERE}'}}else{{setTimeout(t,1000)}}}}t()"
    ),
    "counting interval": _script(
        f"var n=5;var h=setInterval(function(){{n--;if(n==0){{clearInterval(h);window.location='{THERE}'}}}},1000)"
    ),
    "default parameters": _script(f"((u='{THERE}',w=window)=>{{w.location.href=u}})()"),
    "after unknown code": _script(
        f"ga('send','x');_gaq.push(['a']);if(window.console)console.log(1);location.href='{THERE}'"
    ),
    "image onload": f"<svg onload=\"location.href='{THERE}'\"></svg>",
    "frame of a script": f"<iframe src=\"javascript:parent.location='{THERE}'\"></iframe>",
    "frameset with a thin frame": f"<frameset rows='*,1'><frame src='{THERE}'><frame src='x.html'></frameset>",
    "object": f"<object data='{THERE}' style='width:100%;height:100%'></object>",
}

HELD_OUT = {
    "decodeURI": _script(f"self.location=decodeURI('{THERE}')"),
    "unescape of unicode": _script(
        "location=unescape('" + "".join(f"%u{ord(one):04x}" for one in THERE) + "')"
    ),
    "atob of code in a function": _script(
        f"(function(){{var s=atob('{base64.b64encode(_CODE.encode()).decode()}');(0,eval)(s)}})()"
    ),
    "fromCharCode mapped": _script(
        f"location=[{_SHIFTED}].map(function(c){{return String.fromCharCode(c-3)}}).join('')"
    ),
    "hex numbers": _script(
        "var t='"
        + "".join(f"{ord(one):02x}" for one in THERE)
        + "',o='';for(var i=0;i<t.length;i+=2)o+=String.fromCharCode(parseInt(t.substr(i,2),16));location=o"
    ),
    "loop backwards": _script(
        f"var b='{_BACKWARDS}',r='';for(let i=b.length-1;i>=0;i--)r+=b.charAt(i);document.location.href=r"
    ),
    "while loop": _script(f"var b='{_BACKWARDS}',r='',n=b.length;while(n--){{r+=b[n]}}location.replace(r)"),
    "chained replaces": _script(
        "location='hxxps[:]//farm[.]test/go?x=1'.replace('xx','tt').replace('[:]',':').replace('[.]','.')"
    ),
    "slice and charAt": _script(f"var q='#{THERE}#';location=q.charAt(1)+q.slice(2,-1)"),
    "nested template": _script("let p=`farm`;let h=`${p + '.test'}`;location.assign(`https://${h}/go?x=1`)"),
    "array lookup": _script("var _0=['href','https://farm.test','/go?x=1'];location[_0[0]]=_0[1]+_0[2]"),
    "comma and conditional": _script(f"var a=0,u;a=1,u=a?'{THERE}':'/';location=u"),
    "alias in a closure": _script(
        f"(function(){{var g=this||self,l=g.location;function k(){{l.assign('{THERE}')}}k()}}).call(window)"
    ),
    "bound method": _script(f"var go=location.replace.bind(location);go('{THERE}')"),
    "globalThis with a computed key": _script(f"globalThis['l'+'ocatio'+'n']['hr'+'ef']='{THERE}'"),
    "destructured": _script(f"const {{location: here}} = window; here.href = '{THERE}'"),
    "unicode in a name": _script(f"l\\u006fcation='{THERE}'"),
    "interval": _script(f"setInterval(function(){{location.href='{THERE}'}},1500)"),
    "nested timers": _script(
        f"setTimeout(function(){{setTimeout('go()',500)}},500);function go(){{location='{THERE}'}}"
    ),
    "listener for the content": _script(
        f"document.addEventListener('DOMContentLoaded',e=>{{window.location.replace('{THERE}')}})"
    ),
    "jquery ready": _script(f"jQuery(function($){{window.location='{THERE}'}})"),
    "form in jquery": f"<form id=x action='{THERE}'></form><script>$('#x').submit()</script>",
    "click on a made link": _script(f"var a=document.createElement('a');a.href='{THERE}';a.click()"),
    "click on a link of the page": f"<a id=k href='{THERE}'></a><script>document.getElementById('k').click()</script>",
    "write in parts": _script(
        f"document.write('<meta http-equiv=refr');document.write('esh content=\"1; url={THERE}\">')"
    ),
    "frame set by attributes": _script(
        "var e=document.createElement('iframe');e.setAttribute('src','"
        + THERE
        + "');e.setAttribute('style','position:fixed;inset:0;width:100%;height:100%');document.body.append(e)"
    ),
    "frame with a class": f"<style>.full{{position:fixed;inset:0;width:100vw;height:100vh}}</style><iframe class='full' src='{THERE}'></iframe>",
    "frameset with an empty frame": f"<frameset rows='100%,0'><frame src='{THERE}'><frame src='about:blank'></frameset>",
}

STAYING = {
    "click handler": f"<a id=a href=#>x</a><script>document.getElementById('a').onclick=function(){{location='{ELSEWHERE}'}}</script>",
    "click listener": _script(f"b.addEventListener('click',function(){{location.href='{ELSEWHERE}'}})"),
    "jquery click": _script(f"$('#b').click(function(){{window.location='{ELSEWHERE}'}})"),
    "jquery on click": _script(f"$(document).on('click','.b',function(){{window.location='{ELSEWHERE}'}})"),
    "onclick attribute": f"<button onclick=\"location.href='{ELSEWHERE}'\">go</button>",
    "select menu": f"<select onchange='location=this.value'><option value='{ELSEWHERE}'>x</select>",
    "function never called": _script(f"function leave(){{location.href='{ELSEWHERE}'}}"),
    "method never called": _script(f"var app={{go:function(){{location='{ELSEWHERE}'}}}};app.start=1"),
    "frame buster": _script("if(top!=self)top.location=self.location"),
    "frame buster with href": _script(
        "if(window.top!==window.self){window.top.location.href=window.location.href}"
    ),
    "frame buster elsewhere": _script(f"if(top.location!=self.location)top.location.replace('{ELSEWHERE}')"),
    "comment": _script(f"// location='{ELSEWHERE}'\n/* location.href='{ELSEWHERE}' */"),
    "string": _script(f"var help=\"location='{ELSEWHERE}'\";show(help)"),
    "comparison": _script(f"if(location=='{ELSEWHERE}'||location.href==='{ELSEWHERE}')hello()"),
    "dead condition": _script(f"if(false){{location='{ELSEWHERE}'}}"),
    "dead debug flag": _script(f"var DEBUG=0;if(DEBUG)location.href='{ELSEWHERE}'"),
    "reload": _script("setTimeout(function(){location.reload()},5000)"),
    "hash": _script("location.hash='#top'"),
    "popup": _script(f"function p(){{window.open('{ELSEWHERE}','w','width=300')}}"),
    "reading location": _script(
        "var u=location.href,h=location.hostname;track(u.replace('http:','https:'),h)"
    ),
    "string replace": _script("var s='a location'.replace('a','b');var l=document.title.replace(/x/g,'y')"),
    "tag manager": _script(
        "(function(w,d,s,l,i){w[l]=w[l]||[];w[l].push({'gtm.start':new Date().getTime(),event:'gtm.js'});"
        "var f=d.getElementsByTagName(s)[0],j=d.createElement(s),dl=l!='dataLayer'?'&l='+l:'';j.async=true;"
        "j.src='https://www.tags.test/gtm.js?id='+i+dl;f.parentNode.insertBefore(j,f);})"
        "(window,document,'script','dataLayer','GTM-AB12')"
    ),
    "written counter": _script(
        "document.write(unescape('%3Cscript src=\"' + (('https:' == document.location.protocol) ? 'https://ssl.' : "
        "'http://www.') + 'count.test/ga.js\" type=\"text/javascript\"%3E%3C/script%3E'))"
    ),
    "search form": f"<form id=s action='{ELSEWHERE}'><input name=q></form><script>var f=document.getElementById('s');f.q.focus()</script>",
    "form sent on change": f"<form id=s action='{ELSEWHERE}'></form><script>function c(){{document.forms[0].submit()}}</script>",
    "small frame": f"<iframe src='{ELSEWHERE}' style='width:100%;height:315px'></iframe>",
    "hidden frame": f"<iframe src='{ELSEWHERE}' style='display:none;width:100%;height:100%'></iframe>",
    "delay to read": _script(f"setTimeout(function(){{location.href='{ELSEWHERE}'}},60000)"),
    "key handler": _script(f"document.onkeydown=function(e){{if(e.keyCode==27)location='{ELSEWHERE}'}}"),
    "json data": f'<script type=\'application/json\'>{{"location":"{ELSEWHERE}"}}</script>',
    "state object": _script(f"window.__STATE__={{location:'{ELSEWHERE}',href:'{ELSEWHERE}'}}"),
    "other window": _script(f"var w=window.open('','w');w.location='{ELSEWHERE}'"),
}

STAYING_HELD_OUT = {
    "prototype method": _script(
        f"function A(){{}}A.prototype.leave=function(){{window.location='{ELSEWHERE}'}};new A()"
    ),
    "unload handler": _script(f"window.onbeforeunload=function(){{location='{ELSEWHERE}'}}"),
    "returned before": _script(f"(function(){{return;location='{ELSEWHERE}'}})()"),
    "own variable called location": _script(
        f"function f(){{var location={{}};location.href='{ELSEWHERE}';return location}}f()"
    ),
    "parameter called location": _script(f"(function(location){{location.href='{ELSEWHERE}'}})({{}})"),
    "link made but not clicked": _script(
        f"var a=document.createElement('a');a.href='{ELSEWHERE}';document.body.appendChild(a)"
    ),
    "pixel": _script(f"var i=new Image();i.src='{ELSEWHERE}p.gif?u='+escape(location.href)"),
    "swipe": _script(f"document.addEventListener('touchend',()=>{{location.assign('{ELSEWHERE}')}})"),
    "fetch by hand": _script(f"fetch('{ELSEWHERE}').then(function(r){{return r.json()}}).then(show)"),
    "wrong host only": _script("if(location.hostname!='start.test'){location.href='https://other.test/'}"),
    "confirm": _script(f"function q(){{if(confirm('Leave?'))location.href='{ELSEWHERE}'}}"),
    "player frame": f"<div style='width:640px'><iframe src='{ELSEWHERE}' width='100%' height='360'></iframe></div>",
    "sign-in form": f"<form method=post action='{ELSEWHERE}'><input type=hidden name=SAMLRequest value=x></form><script>document.forms[0].submit()</script>",
    "frames of a page with menus": f"<frameset cols='200,*'><frame src='menu.html'><frame src='{ELSEWHERE}'></frameset>",
    "history": _script("history.replaceState(null,'','/page?x');history.back"),
    "storage of a url": _script(
        f"localStorage.setItem('next','{ELSEWHERE}');var t=document.createElement('div');t.innerHTML='<b>x</b>'"
    ),
}
