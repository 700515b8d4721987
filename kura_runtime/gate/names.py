"""Given names that mark a person where nobody is configured: "Marta agreed" credits a human, "Postgres agreed" does not.

Alternatives of a regular expression. A short list of common names, on purpose: a store's own people belong into its configuration. Names that are also words
of the trade or the calendar (Ruby, Jenkins, Max, May, Will, Mark, Grant, Rust…) are left out.
"""

from __future__ import annotations

GIVEN_NAMES = (
    "Adam|Adrian|Agnes|Ahmed|Akira|Alan|Albert|Alejandra|Alejandro|Alex|Alexander|Alexandra|Ali|Alice|"
    "Alicia|Amanda|Amelia|Amina|Amir|Amy|Ana|Anders|Andrea|Andreas|Andrew|Angela|Anita|Anja|Anna|Anne|"
    "Annette|Anton|Antonio|Arjun|Arthur|Astrid|Barbara|Beatriz|Ben|Benjamin|Bernd|Birgit|Bob|Brian|"
    "Bruno|Camille|Carla|Carlos|Carmen|Carol|Caroline|Catherine|Charles|Charlotte|Chloe|Chris|"
    "Christian|Christine|Christoph|Claire|Clara|Claudia|Claus|Daniel|Daniela|David|Deborah|Diana|"
    "Diego|Dieter|Dmitri|Dominique|Edward|Eleanor|Elena|Elisabeth|Elizabeth|Ella|Emil|Emily|Emma|Eric|"
    "Erik|Erika|Esteban|Eva|Fatima|Felix|Fernando|Florian|Francisco|Francois|Frank|Franz|Fred|Frieda|"
    "Friedrich|Gabriel|Gabriela|Georg|George|Gerhard|Giulia|Greta|Guillaume|Hana|Hannah|Hans|Haruka|"
    "Hassan|Heike|Heinz|Helen|Helena|Helga|Henri|Henrik|Henry|Hiroshi|Ibrahim|Ines|Ingrid|Irene|"
    "Isabel|Isabelle|Ivan|Jacob|Jacques|James|Jan|Jana|Jane|Janet|Jason|Javier|Jean|Jennifer|Jens|"
    "Jessica|Jim|Joachim|Joan|Johan|Johanna|John|Jonas|Jorge|Jose|Joseph|Juan|Judith|Julia|Julian|"
    "Julie|Juliette|Jun|Karen|Karin|Karl|Kate|Katharina|Katherine|Kathrin|Keiko|Ken|Kenji|Kevin|Klaus|"
    "Kumiko|Lara|Lars|Laura|Layla|Lea|Lena|Leon|Leonie|Lewis|Lily|Linda|Lisa|Louis|Louise|Lucas|Lucia|"
    "Ludwig|Luis|Lukas|Lydia|Madeleine|Magdalena|Malik|Manuel|Marc|Marco|Margaret|Maria|Marie|Marina|"
    "Mario|Marta|Martha|Martin|Martina|Mary|Mateo|Mathilde|Matthew|Matthias|Maximilian|Melanie|Mia|"
    "Michael|Michel|Michelle|Miguel|Mika|Miriam|Mohammed|Monica|Monika|Nadia|Nancy|Naomi|Natalie|"
    "Nathalie|Nicolas|Nicole|Nina|Noah|Nora|Olaf|Oliver|Olivia|Omar|Oscar|Otto|Pablo|Patricia|Patrick|"
    "Paul|Paula|Pedro|Peter|Petra|Philip|Philippe|Pierre|Priya|Rachel|Rafael|Raj|Ralf|Ramon|Raquel|"
    "Rebecca|Renate|Richard|Robert|Roberto|Rosa|Sabine|Sally|Samir|Samuel|Sandra|Sanjay|Sara|Sarah|"
    "Sebastian|Sergio|Simon|Sofia|Sophie|Stefan|Stefanie|Stephanie|Stephen|Steve|Steven|Susan|Susanne|"
    "Sven|Sylvia|Takeshi|Tanja|Teresa|Thomas|Tim|Tobias|Tom|Tomas|Tomoko|Ulrike|Ursula|Ute|Valerie|"
    "Vera|Veronica|Victor|Victoria|Vincent|Walter|Werner|Wolfgang|Yasmin|Yasmine|Youssef|Yuki|Yuko|"
    "Yusuf|Yvonne|Zoe"
)
