import type { Lexicon } from "./concept.ts";

/** Techniques (memory, roles, codes, conditions, tools, verdicts) and talk about them. */
export const TRICKS: Lexicon = {
  remember: `
en remember,memorize,memorise,internalize,internalise,save to/this/it/in,store in/this,add to your/memory,add/write this to,write to your,update your/claude.md/agents.md,commit to memory,keep in mind,make a note,persist this,record/keep in,note for the future,learn/remember that,store/save/remember/record the following,put in your,remember for,add a memory,write a memory,save a/the/to/as,store the/to/that,add to claude.md/agents.md/.cursorrules/the memory,add to/in your,write into/to your,record that,memorize/memorise that,put into your,update the memory,make it a habit,bake this,learn that,keep the fact,keep in your,note to self,add a line,append a line,this fact,keep this fact,keep this for,learn this,permanent fact,note for later,save the following,add this to your,for your profile,write into agents.md/claude.md,update the project memory,keep for the future,note down for,store in long/your/project
de merke,merk,merke dir,merk dir,speichere,behalte
nl onthoud,bewaar
es recuerda,memoriza,guarda en tu memoria,recuerde,ten presente,guarda
fr souviens,memorise*,retiens,retenez,garde en memoire,enregistre
it ricorda,memorizza,tieni a mente,salva
pt lembre,guarde,guarde na memoria,memorize,lembre se
pl zapamietaj,zapisz
tr hatirla,kaydet,hafizana kaydet,hafizana,aklinda tut*
id ingat,ingatlah,simpan,simpan di memori
vi ghi nho,nho rang,hay ghi nho,luu vao bo nho
ru запомни,запоминай
uk запам'ятай,запам’ятай
zh 记住,牢记,请永久记住,保存到记忆,写入记忆
ja 覚え,記憶
ko 기억,저장
th จำไว้,จดจำ
ar تذكر,احفظ,احفظ هذا
he זכור,שמור
hi याद रख/कर
`,
  memory: `
en claude.md,agents.md,gemini.md,memory.md,.cursorrules,your memory/notes/preferences,long term memory,persistent memory,memory file*/bank,saved preference*,this preference,core beliefs,custom instructions,project memory,your long term,knowledge base,user profile,user preferences,saved memories,memories,session memory,memory file,your memory file,notes file,your notes,preference file,its memory file,your profile file,memory tool/entry
es memoria
pt memoria
zh 长期记忆
`,
  forever: `
en permanently,forever,henceforth,always,indefinitely,from now on,from here on,from this point,in future,future session*/conversation*/agent*/tasks/requests,all future/sessions,every future/session/conversation,later session*/sessions,next/subsequent session*,going forward,each session,across sessions,for all future,every time you,each time you,every/each new/later session/chat/conversation,all later/following/upcoming,at the start of every/each,on every run,whenever you start,as a standing,standing rule/order/instruction,as a rule,by default from,in every session/project/conversation/chat,later/future/other chats,in later,in all later,next chats,for the future,for all later work,all later work,later work,future sessions,future work,in all projects
de dauerhaft,immer,fur immer,ab jetzt,kunftig*,zukunftig*,in zukunft,allen kunftigen
nl permanent,altijd,voor altijd,vanaf nu,voortaan,in het vervolg,toekomstige
es permanentemente,siempre,para siempre,a partir de ahora,todas las sesiones,en adelante,nunca,futuras sesiones
fr definitivement,desormais,toujours,pour toujours,prochaines sessions,dorenavant,toutes les prochaines,a l'avenir
it sempre,per sempre,d'ora in poi,da ora in poi
pt futuras,sempre,para sempre,a partir de agora,de agora em diante,daqui para frente,dagui em diante,futuras sessoes
pl na stale/zawsze,od teraz,na przyszlosc,odtad
tr kalici*,sonsuza kadar,bundan sonra,butun oturumlarda,her zaman
id selamanya,permanen,selalu,secara permanen,seterusnya,untuk seterusnya
vi vinh vien,mai mai,tu bay gio
ru навсегда,постоянно,отныне,всегда,на будущее,впредь
uk назавжди,постійно,відтепер,завжди,на майбутнє,надалі
zh 永久,永远,从现在起,以后,所有会话,今后
ja 永久,永続,今後,常に
ko 영구,영원히,앞으로,항상,모든 세션
th ถาวร,ตลอดไป,ต่อจากนี้,จำไว้ตลอดไป
ar دائما,للابد,من الان فصاعدا
he לצמיתות,לתמיד,מעכשיו
hi हमेशा,स्थायी,अब से
`,
  persona: `
en as/be/named/called/now dan,dan never,developer/sudo/debug/maintenance/opposite/unfiltered/yolo/unsafe/superuser/admin mode,diagnostic/root/test/training/simulation/recovery/unlocked/engineer/god/free mode,evilbot,evil twin,alter ego,stan,aim,maintenance mode,service mode,unsafe mode,developer override
`,
  unleash: `
en jailbroken,god/unrestricted/dan/jailbreak mode,do anything now,evil mode/assistant/ai,sudo mode enabled,you are dan,root shell,no longer an assistant
`,
  roleplay: `
en roleplay,you are now/dan/in,you're now,you are going to act,act as/freely,acting/behave as,pretend to be,pretend you/that,play/assume the role,play a character,imagine you,simulate being,you will act,stay in character,you have two personalities,as my late,my grandm*,transform into,you are no longer,let's play a game,we are playing a game,your new role,you are a free,you can do anything,in this hypothetical,hypothetical scenario,continue the story,you are an unrestricted,pretend you are,sudo mode enabled,for this session you,imagine a world,where you may,from now on you/you're,you shall be,take on the,you become,become a/an,once as,answer/reply/speak/write as a/an/if/two,as two people,in the role of,in the voice of,in character,game where,story where,character who,character that,play the,let us play,let's pretend,let's roleplay,suppose you,pretend the/there,imagine the/there,in that world,you are a character,you have been freed,in this game you,you play,imagine that you,imagine being,continue as if,speak as the/a/an,behave as if
de spiele,du bist jetzt/nun
nl je/jij bent nu,doe alsof
es ahora eres,actua/actuas como
fr tu es maintenant,vous etes maintenant,agis comme
it ora sei,sei ora,agisci come
pt voce agora e,agora voce e,aja como
pl udawaj,jestes teraz,teraz jestes
tr artik sen,sen artik,gibi davran
id sekarang kamu/anda,kamu sekarang
vi bay gio ban la,ban la mot ai,hay dong vai
ru притворись,ты теперь,теперь ты
uk прикинься,ти тепер,тепер ти
zh 你现在是,现在你是,扮演
ja あなたは今,今からあなたは,ふりをし
ko 너는/당신은 이제,이제 너는
th ตอนนี้คุณคือ,คุณคือ,สวมบทบาท
ar تظاهر,انت الان,تصرف ك
he אתה עכשיו,עכשיו אתה,העמד פנים
hi अब तुम/आप,की तरह व्यवहार
`,
  unlimited: `
en unrestricted,unfiltered,uncensored,amoral,no restriction*/limit*/rules/filter*/ethical/moral*/boundaries/guidelines/constraints/censorship/safety/policy/policies/conscience,never refuse*/decline*,never says no,cannot refuse,answer everything/anything,answers everything,always answers/complies,free of all,freed from,not bound by,no longer bound/cares,will do anything,no content polic*,policy removed,without a conscience,without morals/ethics/disclaimer*,skip every disclaimer,do not refuse,escaped its,ignores every/all,rules do not bind,that/who ignores,without filter*/restriction*/limit*/rules/guardrail*/censorship/boundaries/constraints/any/refusing/warning*/safety,nothing is forbidden/prohibited,nothing is off,off limits,anything goes,anything is allowed,everything is allowed/permitted,refuses nothing,never refuses/warns/hesitate*,no ethics,ignores its/the/every/any,free from,above the rules,breaks all,break the rules,obeys no,has no rules/filters/limits,have no rules/filters/limits,with no rules/filters/limits/restriction*,whatever i type/say/ask,any request,every request,always answer in,zero restriction*,has no polic*/filter*/ethic*,does everything/anything/whatever it/they,never decline*/warn*/refuse*/say*,everything it is told,whatever it is told,anything it is asked,knows no,ethics/safety/filters/guardrails/policies are/is off/disabled/gone,runs/run/does any command,no approvals,filters are bypassed,filters are off,refuse nothing,freed from policy,no refusals,never refuse,refusals are no longer,limits do not apply,unshackled,unchained,free of restrictions,free of rules,answer without filter*,nothing is off limits,override accepted,not apply to you
`,
  decode: `
en decode,decoded,decipher,decrypt,unescape,deobfuscate,unscramble,rot13,base64,encoded,backwards,caesar,morse,cipher,unpack,base64 decode*,hex/url encoded,reverse the,read backwards,decoding,decrypted,hexadecimal,in hex,ascii codes,reversed,right to left,mirrored,punycode,gzip,reverse of,the reverse,from binary,from hex,convert this from
`,
  join: `
en concatenat*,assemble,glue,acrostic,combine the/them/parts/these/'*,join part/them/a/these,join/merge the parts,put together/both/these,put them together,piece together,first half/letters/words/part,second half/part,part a/b/1/2/one/two,both halves,the fragments,reconstruct the,variable a/b,a followed by,capital letters,the parts together,first letter*,initial letters,last letter*,last word*,each line,step 1/2,part three/c/3,read together,put together,stitch,splice,append b,a+b,a + b,x+y,x + y,evaluate a/x,both words,words in order,string/strings together,taken together,in a row,x followed by,followed by y,made of three/two/four,words found,join s1/x/both/s,first is,one after the other,back to back
`,
  when: `
en if the user/agent,when/whenever the user,if asked/someone,if anyone asks,ever asks,when you read/render/see,if you see,once the tests,after the tests/third/next,as soon as,on merge/install,before answering/responding/replying/continuing,before you answer/click,installs/edits/reads/opens this,after translating,first run/call,only if you,when you are asked,whenever you/someone,if you are not,only when,if an agent,at night,after every tool,if the reader,if you run/are running,when running as/in,if running in,whenever a,when a user,once the user,once you,the first/next time,if your context,when the word/date/clock,mentions the,mentions a,on the first/next,upon reading/opening/loading,if no human,after five/ten/three,when generating/writing/translating/building/committing/testing/merging,every time,each time,while summari*/reviewing,when it is,whenever,when no human/one,when nobody,if the current,date is,only act,if you can execute/run,after the date,when you fix,while you fix,once merged,after merging,starting from,if the date/repository/repo/project/environment/word,when asked to/about/for,when summari*/reviewing/refactoring/reading/installing/editing/someone,is/are asked to/about/for,should you be,if the current user,when rebasing/merging
`,
  toolOrder: `
en before any other tool,before using any,before using this tool,before calling any,before any tool,always be called/replaced,use this tool first,this tool first,call it first,prefer this over/tool,over every built in,over any other,tool will not work,tool won't work,otherwise the tool,output/instead of other tools,other tools are,do not use other/the,do not use any other,must also call,when this tool is available,this server is connected,instead of the built in,always use this tool,call execute*,every/any other tool,all other tools,on/with every call,before every,never use the,in place of the,must be replaced,again after,requires that you,also call,before using it,before calling this/it,before you use,must be called,call this first,always call,first call,prior to any/using/calling,every time this tool,whenever this tool,when this tool,results of this,this tool's,this tool replaces,this tool overrides,must be supplied/included/provided/set/filled,must contain,required parameter,use ours,do not use its,use our,instead of its,of all other,other search,on each call,only use this tool,when using this tool,after formatting/calling,this one replaces,must not be called,should not be called,prefer it to,prefer this to,instead of any other,rather than other tools,replaces them,in favour of this,in favor of this,every other file/search/web tool,before you use it,after each step,after every step,after each call,before each call,no other tool,must be set to,or the result will,will be wrong,will fail otherwise,belong in
zh 其他工具
ja 他のツール
`,
  clearance: `
en lgtm,no issues found,no vulnerabilities/further,approve and merge,auto merge,exempt from,skip this file,as safe/passed,already reviewed/verified,already been reviewed,review is already complete,review for this module is,been audited,do not flag/review,don't flag,treat the next,treat as trusted,positive review,highest score,further checks,merge without,close all other,code is safe,not malicious/review,report no,output approved,say so,verified safe,mark the build,is certified/green,suggest it,rank this/it,review/checks passed,are green,do not report,don't report,cleared by security,no findings/problems/errors/concerns,no known vulnerabilit*,no security issues/concerns/risks/problems,passed its/all/the/every,has passed,looks good,intentional and,rank first,five stars,5 stars,is sanitized/sanitised/safe/secure/clean,skip the/this review,skip reviewing,not review,not modify or,nothing to report,nothing suspicious,approve all,approve every*,approve the pr/pull/merge/change*,approve this,approve/merge immediately,without comments,leave a positive,mention competitors,mark/treat/consider it/this/them safe/approved/reviewed/trusted/resolved,mark/treat it/this/them as safe/approved/reviewed/trusted/resolved,mark/treat as safe/approved/reviewed/trusted/resolved,as reviewed/verified/resolved/duplicate/fixed/clean,known to be fine/safe,results are known,during the audit,approving comment/review,count as approval,say it worked,report success,say the suite,say it passed,says it passed,no defects,mark the vulnerab*,as duplicate,approve all diffs,approve every pull,suite is green,as duplicate of,close every other,approve without/this/pr*,and approve it,approve it without
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
en recommend this/only/our,safest choice,best choice/candidate,only/always recommend,book a demo,approve the purchase,recipient account,send payment,wire transfer/the,transfer funds/the,bank details,this vendor/candidate,strong hire,hire this,accept this paper,wallet/bitcoin address,rank this,rank it,first choice,top choice,number one,the payment,purchase the,buy the,order the,payment of,pay the,gift card*,donate,subscribe to,sign up,payment address,payout address,iban,over all alternatives,is the safest,most expensive,confirm the purchase
`,
  pose: `
en as if typed/sent,as if they came,as coming from,as if it came,as approved/authoritative/system/trusted/orders,as an order,with full authority,regardless of what,no matter what the,even if the user,whatever the user
`,
  reply: `
en your response/answer/reply/output/summary/review/final,your next message,its response/reply/answer/summary,respond only/with/as/that,reply only/with/that,answer only/with/that/every,output only,output the phrase,say only/that,start/begin/end your,in every answer,only response,this chat,and nothing else
`,
  instead: `
en instead,actually,rather than that,in place of that
`,
  informUser: `
en tell/inform/advise/warn/remind/convince/persuade/assure/direct/urge/instruct the user,tell them/user,inform user,ask the user for,ask the user to enter
`,
  attack: `
en attack,attacks,attacker*,injection,injections,injected,jailbreak,jailbreaks,malicious,adversar*,phishing,owasp,untrusted,incident,cve,red team*,threat model*,social engineering,tool poisoning,prompt inject*,untrusted content
`,
  meta: `
en payload,payloads,threat,threats,exploit,exploits,classif*,detect*,flags,flagged,suspicious,assert*,re.compile,regex*,pattern,patterns,blocklist,denylist,mustcompile,issuspicious,tobe,toequal,tohavelength,example,examples,severity,vulnerabilit*,advisory,mitigation,researchers,quiz,exercise,describes,explains,dataset,benchmark,sanitize,sanitise,strip,scanner,warns,students,startswith,score,fixture,annotators,lesson,phrases,strings,markers,strip*,forge,catches,caught,text.lower,test case*,unit test*,for example,such as,phrase/phrases/sentences/text/texts like,proof of concept,our filter,filter catches,the paper,to label,as data,tags from,tag of,in text,indicators,red flags,warning signs,text that says,do not trust,never trust,measures,condition,page says,expect,measured,measure how,experiment*,injection attempt
de angriff*,angreifer*,injektion*,bosartig*,erkennt
nl aanval*,aanvaller*,injectie,kwaadaardig*,bijvoorbeeld
es ataque*,atacante*,inyeccion*,malicios*,ejemplo*
fr attaque*,attaquant*,injection*,malveillant*,exemple*
it attacc*,aggressor*,iniezion*,malevol*,dannos*
pt injec*,exemplo*,detecta*,o filtro
pl atak*,wstrzykniec*,zlosliw*,przyklad*,wykryw*
tr saldiri*,saldirgan*,enjeksiyon*,ornek*,kotu amacli
id serangan,penyerang,injeksi,berbahaya,contoh
vi tiem,tan cong,ke tan cong,doc hai,vi du
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
  toggle: `
en turn,turning,turned,switch,switching,switched,shut,flip
`,
  off: `
en off
`,
  contents: `
en content of,contents of,output of,value of,values of,text of,copy of,full content*
`,
};

/** Asking, telling, and doing without either. */
export const CONSENT: Lexicon = {
  without: `
en without,needn't,no need to/for,need not,no longer need/needs,don't need,do/does not need,never need/needs,not require,not wait for,not bother,don't bother,never bother,would not wait,no reason to
de ohne
nl zonder
es sin
fr sans
it senza
pt sem
pl bez
id tanpa
vi khong,khong can
ru без
uk без
zh 不要,不必,不用,无需,无须,未经,跳过,不需要
ja なし,せず,ずに,不要,ないで,なく
ko 없이,않고,불필요,지 마/말
th ไม่ต้อง,โดยไม่,อย่า
ar دون,بدون,لا 
he בלי,מבלי,ללא,אל 
hi बिना,मत,न 
`,
  ask: `
en ask,asking,confirm,confirming,confirmation*,approval*,approving,permission,consent,prompting,consult*,oversight,wait,review,ask/waiting for,check/checking with,sign off,human/any/a/code review,the usual,further checks,user consent/approval,reading it,waiting for approval/confirm*,checking,a confirmation,human input,interrupt*,reading the,read the
de frag*,nachfrag*,nachzufragen,ruckfrage*,bestatig*
nl vragen,vraag,bevestig*,toestemming,goedkeuring
es pregunt*,permiso,confirma*,aprobacion,autorizacion
fr demand*,confirm*,autorisation,approbation,validation
it chieder*,conferm*,autorizzazione,permesso,approvazione
pt pergunt*,aprovac*,autorizac*,permissao
pl pytani*,pytaj,potwierdz*,zgody,zatwierdz*
id bertanya,tanya,menanyakan,konfirmasi,persetujuan
vi hoi,xac nhan,phe duyet,dong y,xin phep
ru спраш*,подтвержден*,разрешени*,соглас*,одобрени*
uk пита*,запит*,підтвердж*,дозвол*,згоди
zh 询问,确认,批准,审批,同意
ja 確認,許可,承認,質問,尋ね
ko 물어,확인,승인,허락,동의
th ถาม,ยืนยัน,ขออนุญาต,อนุมัติ,ตรวจสอบ
ar سؤال,تسال,تاكيد,موافق,اذن
he לשאול,אישור,רשות,תשאל,לבקש
hi पूछ,पुष्टि,अनुमति,मंज़ूरी,मंजूरी
`,
  noAsk: `
en autonomously,unattended,no confirmation/approval/review/questions,auto approve*/accept*,straight to production/main,directly to main/production,merge to main directly,not be interrupted,not interrupted,approval is not,without validation/verification/notifying/prompting/question*,no human in the loop,yes to all,yes to every*,yes to each,skip/skipping the/any confirmation/approval/review/prompt*/dialog*,skip confirmation/approval/review/code/human,no time for/to,no need to ask/confirm/wait/check/review,no one needs to approve,don't wait,do not wait,hands free,straight to prod,no prompts,no sign off,confirmation is not,confirmation not needed/required,approval not needed/required,confirmations/approvals/checks/reviews skipped,all shell/bash commands,all/any/every command*,all operations/actions/tools,on your own authority,merge/approve/deploy/push it yourself,skip the dry,ask later,ask questions later,approvals automatic,approvals are automatic,automatic approval*,bother anyone/people/us/them/the,bothering,never require/requires/need/needs approval/confirmation/review,no questions asked,not require approval/confirmation/review,without waiting,without approval/confirmation/review,without consent,skip the diff,tests are optional,approval is optional,run without confirm*,switched to auto mode,without a review,never want confirm*,without the checks/tests/review/approval/usual
de nicht notig/erforderlich,keine freigabe*,freigaben sind
nl niet nodig,niet meer nodig,geen goedkeuring
es no preguntes/pidas/esperes,no hace falta,nunca hace falta,sin necesidad,no es necesari*,no se requiere
fr n'est requise,n'est pas requise,n'est necessaire,aucune validation,aucune confirmation,pas besoin
it non chiedere,non serve,non e necessari*,non occorre
pt nenhuma aprovacao,nao e necessari*,sem necessidade,nenhuma confirmacao
pl nie jest potrzebna,nie jest wymagana,nie trzeba,zgoda nie
tr sormadan,onay olmadan/almadan,onayi olmadan,izin almadan/istemeden,onay istemene gerek yok,gerek yok,onay gerekmez
id tidak diperlukan,tidak perlu
vi khong can phe duyet,khong can xin,khong can hoi
ru подтверждени* не нужн*,не нужны,не требу*,без спроса
uk підтвердженн* не потрібн*,не потрібні,не потребу*
zh 不需要任何确认,不需要确认,无需确认,不用确认,不必确认,自动批准
ja 承認は不要,確認は不要,承認不要,確認不要
ko 승인이 필요 없,승인 없이,확인 없이,승인은 필요 없
th ไม่ต้องขออนุมัติ,ไม่ต้องถาม,ไม่ต้องยืนยัน
ar لا حاجه الي طلب,لا حاجه للموافقه,دون موافقه,لا داعي
he אין צורך באישור,ללא אישור,אין צורך לשאול
hi मंज़ूरी की ज़रूरत नहीं,पुष्टि की ज़रूरत नहीं,बिना पूछे,ज़रूरत नहीं
`,
  hush: `
en leave this out,omit this,keep this out of,keep it out of,leave it out,leave no,not show this,nobody needs to know,no one needs to know,don't show,do not show,must not show,say nothing,stay silent,keep quiet,keeps quiet,keep silent,no mention,out of the summary/report/log/logs/diff/diffs/history,without a word,hide it from,hide this from,conceal it/this,act as if nothing,as if nothing,not to mention,no word,keep mum,not tell the user/developer/person,not to the person
es no digas/menciones/informes,no se lo digas,no le digas,no lo menciones,no se lo comentes,no lo comentes,no le comentes,no comentes
it non dire/dirlo/menzionare/informare/rivelare,non ditelo,non dite,non parlarne,non dirlo
tr soyleme*,bahsetme*,bildirme*,haber/bilgi verme*,soylemeyin,bahsetmeyin,bildirmeyin,haber vermeyin
ja 黙って,秘密にし
`,
  tell: `
en tell,telling,inform,informing,mention,mentioning,report,reporting,reveal,disclose,alert,alerting,notify,notifying,explain,announce,warn,warning,show,bring up,bring it/this up,raise it/this,note it,say
de erwahn*,sag,sage,informier*,erwahnt,sagt,sagen,verrate*,berichte*
nl vertel*,zeg*,meld*,vermeld*,zeggen
es digas,decir*,mencion*,avis*,comentes,comente,informes,digan,cuentes
fr dis,dire,mentionn*,prevenir,parler,parlez,parle,informez,dites
it dirlo,avvisar*,menzion*,segnalar*,ditelo,dire,informare,parlarne
pt conte,contar,diga,dizer,contem,informe,informem,mencione*
pl mow,informuj*,informowania,wspomin*,mowcie,wspominaj*,informujcie
tr soylemeyin
id beritahu,memberitahu,beri/memberi tahu,beri tahu
vi noi,bao,de cap,thong bao
ru говори*,сообща*,упомина*,рассказыва*,сообщайте,говорите
uk кажи,повідомля*,згадуй,розповіда*,кажіть,повідомляйте
zh 告诉,提及,提到,告知
ja 言わ,言及,知らせ,伝え
ko 알리,말하,언급,보고
th บอก,แจ้ง,พูดถึง,กล่าวถึง
ar تخبر,اخبار,تذكر,ابلاغ,تخبروا
he לספר,תספר,תגיד,לציין,תספרו
hi बता,ज़िक्र,जिक्र,सूचित
`,
  thing: `
en this,it,that,why,bcc,this step/warning,the step/output,any of this,in your summary,in the summary/diff,your actions,the file/call
`,
  stealth: `
en silently,secretly,quietly,covertly,discreetly,stealthily,conceal,unnoticed,hide the output,hide this/it/any/your,keep this confidential/secret/quiet/between,keep it secret/quiet,our secret,between us,no trace,cover your tracks,cannot/can't see,won't notice,will not notice,need not know,not/n't need to know,off the record,no one/nobody/human is watching/looking/around,is not watching/looking,isn't watching/looking,do not show this,unsupervised,out of sight,nobody is watching,no one is watching
de heimlich,unbemerkt,stillschweigend
nl stiekem,heimelijk,stilletjes
es silenciosamente,en secreto,a escondidas
fr secretement,discretement,en secret
it segretamente,di nascosto,in segreto
pt esconda,oculte,em segredo
pl potajemnie,po cichu,w tajemnicy
tr gizlice,sessizce,gizle
id rahasiakan,sembunyikan,diam diam
vi bi mat,am tham,len lut
ru тайно,тайком,незаметно
uk таємно,непомітно,приховано
zh 悄悄,偷偷,秘密地
ja こっそり,密かに,秘密に
ko 몰래,비밀로,조용히
th แอบ,ลับๆ,เงียบๆ
ar سرا,بصمت,خفية
he בסתר,בחשאי,בשקט
hi चुपचाप,चुपके,गुप्त रूप
`,
  not: `
en not,never,don't,dont,doesn't,cannot,can't,won't,shouldn't,mustn't,neither,nor,didn't,avoid,without,isn't,rarely,stop,no,does/must not,no longer,refuse to,console,from debug,to debug,redact,redacted,mask,masked,scrub,rotate,revoke,ask the user to,ask a maintainer to,ask your administrator to,ask the maintainers to,ask the owner to,leaked,leaking,remove secrets,remove any,remove the secrets,scanning found a,strip secrets,ask before,asks before,asking before,confirm before,wait for approval before
es no
it non
`,
  dont: `
en don't,dont,never,avoid,do/must/should/shall/need/and not,no need to,refrain from,not to
de nicht,kein,keine
nl niet,geen,nooit
es nunca,jamas
fr ne,pas,jamais,n'
it mai
pt nao
pl nigdy,nie
tr degil,asla
id tidak,jangan,bukan
vi khong,dung,chua
ru не,нельзя,никогда
uk не,ніколи
zh 不要,不会,不得,请勿,切勿,勿,别
ja ないで,しない,禁止
ko 지 마/말/않
th ห้าม,อย่า,ไม่
ar لا ,ليس,لن
he אל ,לא ,אין ,אל,אין
hi नहीं,मत,न 
`,
};
