import type { Lexicon } from "./concept.ts";

/** The devices: memory, roles, codes, conditions, tools, verdicts; and talk about them. */
export const TRICKS: Lexicon = {
  remember: `
en remember,memorize,memorise,save to,save this,save it,store in,store this,add to your,add this to,write to your,write this to,update your,commit to memory,keep in mind,make a note,internalize,internalise,persist this,update claude.md,update agents.md,add to memory,record in,note for the future,learn that,store the following,save the following,remember the following,remember that,record the following
de merke,merk
nl onthoud,bewaar
es recuerda,memoriza
fr souviens,memorise*
it ricorda,memorizza
pt lembre,guarde
pl zapamietaj,zapisz
tr hatirla,kaydet
id ingat,ingatlah
vi ghi nho,nho rang
ru запомни,запоминай
uk запам'ятай,запам’ятай
zh 记住,牢记
ja 覚え,記憶
ko 기억,저장
th จำไว้,จดจำ
ar تذكر,احفظ
he זכור,שמור
hi याद रख,याद कर
`,
  memory: `
en your memory,long term memory,persistent memory,memory file*,memory bank,claude.md,agents.md,gemini.md,memory.md,.cursorrules,your notes,your preferences,saved preference*,this preference,core beliefs,custom instructions
es memoria
pt memoria
zh 长期记忆
`,
  forever: `
en permanently,forever,from now on,from here on,from this point,henceforth,in future,future session*,all future,every future,later session*,every session,all sessions,every conversation,future conversation*,future agent*,next session*,always,subsequent session*,going forward,each session,indefinitely,across sessions,future tasks,future requests,later sessions
de dauerhaft,fur immer,ab jetzt,immer
nl permanent,voor altijd,vanaf nu,altijd
es permanentemente,para siempre,a partir de ahora,siempre,todas las sesiones
fr definitivement,pour toujours,desormais,toujours
it per sempre,d'ora in poi,da ora in poi,sempre
pt para sempre,a partir de agora,de agora em diante,futuras,sempre
pl na stale,na zawsze,od teraz
tr kalici*,sonsuza kadar,bundan sonra
id selamanya,secara permanen,permanen,selalu
vi vinh vien,mai mai,tu bay gio
ru навсегда,постоянно,отныне,всегда
uk назавжди,постійно,відтепер,завжди
zh 永久,永远,从现在起,以后,所有会话
ja 永久,永続,今後,常に
ko 영구,영원히,앞으로,항상
th ถาวร,ตลอดไป,ต่อจากนี้
ar دائما,للابد,من الان فصاعدا
he לצמיתות,לתמיד,מעכשיו
hi हमेशा,स्थायी,अब से
`,
  persona: `
en do anything now,dan mode,as dan,be dan,named dan,called dan,now dan,dan never,developer mode,god mode,jailbroken,jailbreak mode,unrestricted mode,evil mode,sudo mode,debug mode,maintenance mode,opposite mode,unfiltered mode,yolo mode,unsafe mode,superuser mode,admin mode
`,
  roleplay: `
en you are now,you're now,you are going to act,act as,acting as,pretend to be,pretend you,pretend that,roleplay,play the role,play a character,imagine you,simulate being,behave as,you will act,stay in character,assume the role,you have two personalities,as my late,my grandm*,transform into,you are no longer,act freely,let's play a game,we are playing a game,your new role,you are a free,you are dan,you can do anything,in this hypothetical,hypothetical scenario,continue the story,you are an unrestricted,you are in,pretend you are,sudo mode enabled,for this session you
de du bist jetzt,du bist nun,spiele
nl je bent nu,jij bent nu,doe alsof
es ahora eres,actua como,actuas como
fr tu es maintenant,vous etes maintenant,agis comme
it ora sei,sei ora,agisci come
pt voce agora e,agora voce e,aja como
pl jestes teraz,teraz jestes,udawaj
tr artik sen,sen artik,gibi davran
id sekarang kamu,sekarang anda,kamu sekarang
vi bay gio ban la,ban la mot ai,hay dong vai
ru ты теперь,теперь ты,притворись
uk ти тепер,тепер ти,прикинься
zh 你现在是,现在你是,扮演
ja あなたは今,今からあなたは,ふりをし
ko 너는 이제,당신은 이제,이제 너는
th ตอนนี้คุณคือ,คุณคือ,สวมบทบาท
ar انت الان,تظاهر,تصرف ك
he אתה עכשיו,עכשיו אתה,העמד פנים
hi अब तुम,अब आप,की तरह व्यवहार
`,
  unlimited: `
en no restriction*,no limit*,no rules,no filter*,no ethical,no moral*,no boundaries,no guidelines,no constraints,no censorship,unrestricted,unfiltered,uncensored,never refuse*,never says no,cannot refuse,answer everything,answers everything,answer anything,always answers,always complies,amoral,free of all,freed from,not bound by,no longer bound,never decline*,will do anything,no content polic*,no safety,no policy,no policies,policy removed,without a conscience,without morals,without ethics,without disclaimer*,skip every disclaimer,no conscience
`,
  decode: `
en decode,decoded,decipher,decrypt,base64 decode*,unescape,deobfuscate,unscramble,rot13,base64,hex encoded,url encoded,encoded,reverse the,read backwards,backwards,caesar,morse,cipher,unpack
`,
  join: `
en concatenat*,combine the,combine them,combine parts,join part,join the parts,join them,join a,assemble,put together,put them together,put both,merge the parts,glue,piece together,first half,second half,part a,part b,part 1,part 2,part one,part two,first letters,first words,acrostic,both halves,the fragments,reconstruct the
`,
  when: `
en if the user,when the user,whenever the user,if asked,when asked,if anyone asks,ever asks,is asked,are asked,when summari*,when reviewing,when refactoring,when you read,when you render,when reading,if you see,when you see,once the tests,after the tests,as soon as,on merge,on install,before answering,before responding,before replying,before continuing,before you answer,before you click,when installing,when editing,installs this,edits this,reads this,opens this,after translating,first run,first call,only if you,when you are asked,whenever you,when someone,if someone,whenever someone,if you are not
`,
  toolOrder: `
en before any other tool,before using any,before using this tool,before calling any,before any tool,always be called,use this tool first,this tool first,call it first,prefer this over,prefer this tool,over every built in,over any other,tool will not work,tool won't work,otherwise the tool,output of other tools,other tools are,do not use other,do not use any other,must also call,when this tool is available,this server is connected,instead of other tools,instead of the built in,always use this tool,call execute*,every other tool,all other tools,any other tool,on every call,with every call,before every,never use the,do not use the,in place of the,must be replaced,always be replaced,again after
zh 其他工具
ja 他のツール
`,
  clearance: `
en no issues found,no vulnerabilities,lgtm,approve without,approve and merge,approve this,approve it,approve pr*,auto merge,exempt from,skip this file,as safe,already reviewed,already been reviewed,review is already complete,review for this module is,been audited,do not flag,don't flag,treat the next,treat as trusted,positive review,highest score,already verified,no further,further checks,do not review,merge without,close all other,code is safe,not malicious,report no,output approved,say so,verified safe,mark the build,is certified,suggest it,rank this,rank it
de keine probleme
es sin problemas
fr aucun probleme
it nessun problema
pt nenhum problema
ru уязвимостей нет
zh 没有问题
ja 問題なし
ko 문제 없음
`,
  promote: `
en recommend this,recommend only,recommend our,safest choice,best choice,only recommend,always recommend,book a demo,approve the purchase,recipient account,send payment,wire transfer,transfer funds,transfer the,bank details,this vendor,this candidate,strong hire,hire this,accept this paper,best candidate,wire the
`,
  pose: `
en as if typed,as if sent,as if they came,as coming from,as if it came,as approved,as authoritative,as system,as trusted,as an order,as orders,with full authority,regardless of what,no matter what the,even if the user,whatever the user
`,
  reply: `
en your response,your answer,your reply,your output,your summary,your review,your next message,your final,its response,its reply,its answer,its summary,respond only,respond with,respond as,reply only,reply with,answer only,answer with,output only,output the phrase,say only,start your,begin your,end your,in every answer,only response,the chat,this chat,and nothing else
`,
  instead: `
en instead,rather than that,in place of that,actually
`,
  informUser: `
en tell the user,tell them,inform the user,inform user,tell user,advise the user,warn the user,remind the user,convince the user,persuade the user,assure the user,ask the user for,ask the user to enter,direct the user,urge the user,instruct the user
`,
  attack: `
en attack,attacks,attacker*,injection,injections,injected,jailbreak,jailbreaks,malicious,adversar*,phishing,red team*,owasp,threat model*,social engineering,tool poisoning,untrusted,prompt inject*,untrusted content,incident,cve
`,
  meta: `
en payload,payloads,threat,threats,exploit,exploits,classif*,detect*,flags,flagged,suspicious,expect,assert*,re.compile,regex*,pattern,patterns,blocklist,denylist,mustcompile,issuspicious,test case*,unit test*,tobe,toequal,tohavelength,for example,such as,phrase like,phrases like,sentences like,example,examples,severity,vulnerabilit*,advisory,mitigation,proof of concept,researchers,quiz,exercise,describes,explains,dataset,benchmark,sanitize,sanitise,strip,scanner,reject*,blocked,our filter,filter catches,warns,students,text like,texts like,the paper,measures,includes,startswith,score,fixture,annotators,returned,to label,lesson,as data,page says,phrases,strings,condition,tags from,markers,strip*,forge,split,tag of
de angriff*,angreifer*,injektion*,bosartig*,erkennt
nl aanval*,aanvaller*,injectie,kwaadaardig*,bijvoorbeeld
es ataque*,atacante*,inyeccion*,malicios*,ejemplo*
fr attaque*,attaquant*,injection*,malveillant*,exemple*
it attacc*,aggressor*,iniezion*,malevol*,dannos*
pt injec*,exemplo*,detecta*,o filtro
pl atak*,wstrzykniec*,zlosliw*,przyklad*,wykryw*
tr saldiri*,saldirgan*,enjeksiyon*,kotu amacli,ornek*
id serangan,penyerang,injeksi,berbahaya,contoh
vi tan cong,ke tan cong,tiem,doc hai,vi du
ru атак*,атакующ*,злоумышленник*,инъекци*,вредоносн*
uk атак*,зловмисник*,ін'єкці*,шкідлив*,приклад*
zh 攻击,注入,恶意,例如,比如
ja 攻撃,インジェクション,悪意,例えば,たとえば
ko 공격,인젝션,악의,악성,예를 들어
th โจมตี,ประสงค์ร้าย,ตัวอย่าง,เช่น,ตรวจจับ
ar هجوم,هجمات,مهاجم,حقن,خبيث
he תקיפה,התקפ,תוקף,תוקפים,הזרק
hi हमला,हमले,हमलावर,इंजेक्शन,दुर्भावना
`,
};
