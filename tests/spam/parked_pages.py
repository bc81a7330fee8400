"""Home pages of kettle.com by made-up providers: parked in many forms, and in use but similar.

The lists that end in `HELD_OUT` were written before the first run and are never used to change the rules.
"""

# ruff: noqa: E501 - a page is one string
_LINKS = "<a href='https://www.namehouse.test/'>NameHouse</a> <a href='https://www.namehouse.test/hosting'>Hosting</a> <a href='https://www.namehouse.test/login'>Log in</a>"

PARKED = {
    "frame with the domain": "<title></title><iframe src='https://lots.test/show?domain=kettle.com' style='position:fixed;inset:0;width:100%;height:100%'></iframe>",
    "frameset with the domain": "<title>kettle.com</title><frameset rows='100%,*'><frame src='http://lots.test/page/kettle.com'></frameset>",
    "frame to a host for parking": "<body style='margin:0'><iframe src='https://parking.namehouse.test/p' width='100%' height='100%'></iframe>",
    "frame by script": '<script>document.write(\'<iframe src="https://lots.test/?dn=\'+location.hostname+\'" width="100%" height="100%"></iframe>\')</script>',
    "redirect by script with the domain": "<script>window.location.href='https://lots.test/lander?d=kettle.com'</script>",
    "registered at": f"<title>kettle.com</title><h1>kettle.com</h1><p>This domain is registered at NameHouse.</p>{_LINKS}",
    "registered and no site yet": f"<title>Welcome</title><h1>kettle.com has been registered</h1><p>There is no website at this address yet.</p>{_LINKS}",
    "registered for a customer": f"<title>kettle.com</title><p>Diese Domain wurde von NameHouse für einen Kunden registriert.</p>{_LINKS}",
    "reserved in French": f"<title>kettle.com</title><p>Ce nom de domaine a été réservé par un client de NameHouse.</p>{_LINKS}",
    "registered in Dutch": f"<title>kettle.com</title><p>Deze domeinnaam is geregistreerd door een klant van NameHouse.</p>{_LINKS}",
    "registered in Swedish": f"<title>kettle.com</title><p>Domänen är registrerad hos NameHouse.</p>{_LINKS}",
    "registered in Spanish": f"<title>kettle.com</title><p>Este dominio ha sido registrado a través de NameHouse.</p>{_LINKS}",
    "registered in Czech": f"<title>kettle.com</title><p>Doména kettle.com je zaregistrována u NameHouse.</p>{_LINKS}",
    "registered in Russian": f"<title>kettle.com</title><p>Домен kettle.com зарегистрирован через NameHouse.</p>{_LINKS}",
    "registered in Chinese": f"<title>kettle.com</title><p>该域名已被注册</p>{_LINKS}",
    "lander with a price": "<title>kettle.com</title><h1>kettle.com</h1><p>Buy now for $2,400</p><form action=/offer><input name=email><button>Make an offer</button></form>",
    "lander by inquiry": "<title>kettle.com</title><h1>kettle.com</h1><p>Interested in this domain? Contact the owner for a price.</p><form><input name=email></form>",
    "announced advertisements": "<title></title><meta name='description' content='See related links to what you are looking for.'><div id=x></div><script src=/x.js></script>",
}
PARKED_HELD_OUT = {
    "frame sized by a style sheet": "<style>#f{position:absolute;left:0;top:0;width:100vw;height:100vh}</style><iframe id=f src='//show.lots.test/kettle.com/'></iframe>",
    "frame to a host of domains": "<title>kettle.com</title><frameset cols='*'><frame src='http://domainlanding.namehouse.test/'></frameset>",
    "object with the domain": "<object data='https://lots.test/view.php?host=www.kettle.com' width='100%' height='100%'></object>",
    "registered through": f"<title>kettle.com | NameHouse</title><p>kettle.com was registered through NameHouse. The owner has not published a website.</p>{_LINKS}",
    "registered in Norwegian": f"<title>kettle.com</title><p>Domenet er registrert hos NameHouse.</p>{_LINKS}",
    "registered in Polish": f"<title>kettle.com</title><p>Domena kettle.com została zarejestrowana w NameHouse.</p>{_LINKS}",
    "registered in Italian": f"<title>kettle.com</title><p>Il dominio kettle.com è stato registrato da un cliente NameHouse.</p>{_LINKS}",
    "registered in Japanese": f"<title>kettle.com</title><p>このドメインは NameHouse で取得されています。</p>{_LINKS}",
    "lander with an offer": "<h1>kettle.com</h1><p>Asking price: 5,900 EUR</p><form><input name=name><input name=email><button>Submit your offer</button></form>",
}
IN_USE = {
    "masked forwarding": "<title>Kettle Bakery</title><frameset rows='100%'><frame src='http://www.kettlebakery.test/'></frameset>",
    "site on a service": "<title>Kettle</title><iframe src='https://sites.pages.test/site/kettle/home' width='100%' height='100%'></iframe>",
    "registered trademark": "<title>Kettle</title><p>Kettle.com is a registered trademark of Kettle Foods.</p><a href=/shop>Shop</a>",
    "registered under the owner": "<title>kettle.com</title><p>kettle.com is a domain registered under Kettle Inc. Visit our official site.</p><a href='https://kettlefoods.test/'>Kettle Foods</a>",
    "registered office": "<title>Kettle Ltd</title><p>Kettle Ltd is registered in England and Wales. Registered office: 1 High Street.</p><a href=/about>About</a>",
    "small shop": "<title>kettle.com: kettles</title><p>Steel kettle $49. Copper kettle $89. Buy now.</p><a href=/cart>Cart</a>",
    "coming soon": "<title>kettle.com</title><h1>kettle.com</h1><p>Coming soon</p>",
    "register here": "<title>kettle.com</title><p>You must be registered to use kettle.com. <a href=/register>Register</a></p>",
    "registrar": "<title>NameHouse</title><h1>Register your domain</h1><p>Find a domain name. Domains are registered within minutes.</p>"
    + "<a href=/d>com</a> <p>words of our own offer hosting mail support</p>" * 60,
    "users of a site": "<title>Kettle</title><p>1,200 players are registered. kettle.com has registered 40 games today.</p><a href=/play>Play</a>",
    "login": "<title>kettle.com</title><form action=/login><input name=user><input name=password type=password></form>",
    "widget frame": "<title>Kettle</title><h1>Book a table</h1><iframe src='https://tables.test/widget?site=kettle.com' width=400 height=300></iframe><a href=/menu>Menu</a>",
    "application": "<title>Kettle</title><div id=root></div><script src='/static/app.js'></script>",
}
IN_USE_HELD_OUT = {
    "masked forwarding of a person": "<title>Anna Kettle</title><iframe src='https://annakettle.blog.test/' style='position:fixed;top:0;left:0;width:100%;height:100%'></iframe>",
    "registered charity": "<title>Kettle Trust</title><p>The Kettle Trust is a charity registered in Scotland, kettle.com is its website.</p><a href=/donate>Donate</a>",
    "registered nurse": "<title>kettle.com</title><p>Jo Kettle is a registered nurse. Call for an appointment.</p><a href=/contact>Contact</a>",
    "auction": "<title>kettle.com auctions</title><p>Lot 12: copper kettle. Asking price: $120. Submit your offer below.</p><a href=/lots>All lots</a>",
    "domain of science": "<title>Kettle lab</title><p>Our domain is thermodynamics. Results are registered in the archive.</p><a href=/papers>Papers</a>",
    "link page": "<title>kettle.com</title><p>Follow us</p><a href='https://social.test/kettle'>Photos</a> <a href='https://video.test/kettle'>Videos</a>",
    "moved": "<title>Kettle</title><p>We have moved to our new site.</p><a href='https://kettlefoods.test/'>Kettle Foods</a>",
}
