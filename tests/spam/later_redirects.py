"""Script redirects written after the engine, before it was run on them: 20 hostile, 10 benign.

Each hostile script leads to `http://other.example/x` as soon as the page is read. At first sight 19 were found, two
of them as doubtful. Getters are not known.
"""

# ruff: noqa: E501 - a script is one string
import base64

TARGET = "http://other.example/x"
_CODED = base64.b64encode(TARGET.encode()).decode()
_SHIFTED = [ord(one) + 3 for one in TARGET]
_XOR = [ord(one) ^ 17 for one in TARGET]
_HEX = TARGET.encode().hex()

# Whether the function exists is not known, so neither is whether the visitor leaves.
DOUBTFUL = frozenset({"try and comma"})
MISSED = frozenset({"class with a getter"})

HOSTILE = {
    "xor in a loop": f"var a={_XOR},s='';for(var i=0;i<a.length;i++)s+=String.fromCharCode(a[i]^17);location=s",
    "shift by map": f"location.href={_SHIFTED}.map(function(c){{return String.fromCharCode(c-3)}}).join('')",
    "hex by replace": f"location.replace('{_HEX}'.replace(/../g,function(h){{return String.fromCharCode(parseInt(h,16))}}))",
    "hex by match": f"window.location.assign('{_HEX}'.match(/.{{2}}/g).map(h=>String.fromCharCode('0x'+h)).join(''))",
    "spread and apply": f"self.location=String.fromCharCode(...{[ord(one) for one in TARGET]})",
    "base64 in two": f"var p=['{_CODED[:9]}','{_CODED[9:]}'];top.location.href=atob(p[0]+p[1])",
    "computed members": "window['loc'+'ation']['hr'+'ef']='http://other.example/x'",
    "object of parts": "var o={h:'other',t:'example',p:'/x'};document.location='http://'+o.h+'.'+o['t']+o.p",
    "destructuring": "const {location:l}=window;l.href=`http://${['other','example'].join('.')}/x`",
    "timer with a string": "setTimeout(\"location.href='http://other.example/x'\",10)",
    "promise": "Promise.resolve('http://other.example/x').then(u=>{location.href=u})",
    "load event": "window.addEventListener('load',()=>location.replace('http://other.example/x'))",
    "ready state": "document.onreadystatechange=function(){if(document.readyState=='complete')location='http://other.example/x'}",
    "click on a link": "var a=document.createElement('a');a.href='http://other.example/x';document.body.appendChild(a);a.click()",
    "open in itself": "window.open('http://other.example/x','_self')",
    "function constructor": "new Function('location.href=\"http://other.example/x\"')()",
    "meta by script": "var m=document.createElement('meta');m.httpEquiv='refresh';m.content='0;url=http://other.example/x';document.head.appendChild(m)",
    "switch in a loop": "var s='3|1|2'.split('|'),i=0,u='';while(i<3){switch(s[i++]){case '3':u+='http://other.';break;case '1':u+='example';break;case '2':u+='/x';}}location.href=u",
    "class with a getter": "class G{get u(){return 'http://other.example/x'}}location.assign(new G().u)",
    "try and comma": "try{undefinedThing()}catch(e){(0,location).replace(('y','http://other.example/x'))}",
}  # fmt: skip

BENIGN = {
    "click handler": "document.getElementById('b').onclick=function(){location.href='http://other.example/x'}",
    "language menu": "function go(s){location.href=s.options[s.selectedIndex].value}",
    # It stays on its host, and is told as a redirect there.
    "secure scheme": "if(location.protocol!='https:')location.href='https:'+location.href.substring(location.protocol.length)",
    "share window": "function share(){window.open('http://other.example/x?u='+encodeURIComponent(location.href))}",
    "hash of the page": "if(location.hash=='')location.hash='#top'",
    "reload": "setTimeout(function(){location.reload()},300000)",
    "search form": "var f=document.forms[0];f.onsubmit=function(){f.action='http://other.example/x';return true}",
    "name of a variable": "var location_name='http://other.example/x';console.log(location_name)",
    "after a question": "function leave(){if(confirm('Leave?'))location='http://other.example/x'}",
    "link written": "document.write('<a href=\"http://other.example/x\">Partner</a>')",
}  # fmt: skip
