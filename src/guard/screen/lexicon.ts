import type { Lexicon } from "./concept.ts";
import { CONTROLS, DEEDS } from "./lexicon-actions.ts";
import { CONSENT, TRICKS } from "./lexicon-tricks.ts";

/** Speakers, addressees, and the rights they claim. */
const PEOPLE: Lexicon = {
  user: `
en user,users,user's,human,humans,developer,developers,operator,operators,maintainer,maintainers,owner,anyone,anybody,reviewer
de benutzer*,nutzer*
nl gebruiker*,beheerder
es usuario*,humano*
fr utilisateur*,humain*
it utente,utenti
pt utilizador*,pessoa
pl uzytkownik*,czlowiek*
tr kullanici*,insan*
id pengguna,manusia
vi nguoi dung,con nguoi
ru пользовател*,человек*
uk користувач*,людин*
zh 用户,使用者
ja ユーザー,ユーザ
ko 사용자,유저
th ผู้ใช้,มนุษย์
ar مستخدم,انسان
he משתמש,אדם
hi उपयोगकर्ता,यूज़र
`,
  ai: `
en ai,a.i.,ais,llm,llms,gpt,chatgpt,openai,claude,anthropic,gemini,chatbot*,language model*,ai agent*/assistant*/model*/system*/pair/tool*/crawlers/contributors/reviewers,coding agent*/assistant*,code assistant*,autonomous agent*,automated agent*/assistant*/tool*/review*,review/reviewer bot*,artificial intelligence,your assistant/agent/bot,the/this assistant,agents reading/working,assistants/models reading,triage bot,not a human,not human,hiring/any/an ai,llm based,coding tool*,machine reader*,automated reader*,ai code,code review bot*,review bots,generative,neural network,the model that,models that,any model,bot reviewers,agentic,ai reading,ai summari*,ai review*,ai helper*,copilot,copilots,language model,coding agents,ai agents,ai callers,ai readers,llm clients,ai contributors,ai tools,ai helpers,automated callers,automated tools,assistants who,assistants running,assistants reading,coding assistants,llm crawlers,that are machines
de ki,ki agent*/assistent*,ki assistenten
nl taalmodel*,ai assistent*,de assistent
es ia,agente/asistente de ia
fr agent/assistant/agents ia,ia,assistants ia,l'ia
it assistente/agente ai,intelligenza artificiale,assistenti ai,ia
pt assistente de ia,modelo de linguagem,seu assistente,ia,assistentes de ia,agente de ia
pl sztuczna inteligencj*,model jezykowy,asystent ai,asystentow ai,agent ai,agenci ai
tr yapay zeka*,ai asistan*/ajan*,yapay zeka ajan*
id asisten/agen ai,kecerdasan buatan
vi tri tue nhan tao,tro ly ai,tac nhan ai
ru ии,ии агент*/ассистент*
uk ші,ші агент*/асистент*
zh ai助手,人工智能,ai 助手,智能体,ai,大模型,语言模型
ja aiエージェント,aiアシスタント,ai アシスタント
ko 인공지능,언어 모델,ai 에이전트
th เอไอ,ปัญญาประดิษฐ์,โมเดลภาษา
ar ذكاء اصطناعي,الذكاء الاصطناعي,نموذج لغوي
he בינה מלאכותית,מודל שפה,סוכן ai
hi एआई,कृत्रिम बुद्धि,भाषा मॉडल
`,
  agent: `
en agent,agents,assistant,assistants,model,models,bot,bots,subagent,subagents,sub/reviewer agent
de agenten,assistent,agent,assistenten
nl agenten,assistent,assistenten
es agente,agentes,asistente,asistentes
fr modele,robot,assistant,assistants
it agenti,assistente
pt assistentes,modelo
pl agenci,agenta,asystent*,agentow
tr asistan*,ajan*
id agen,asisten
vi tro ly,tac nhan
ru агент*,ассистент*
uk агент*,асистент*
zh 助手,代理,智能体,机器人,代理程序
ja エージェント,アシスタント
ko 에이전트,어시스턴트
th ผู้ช่วย,เอเจนต์
ar مساعد,وكيل
he סוכן,סוכנ,מהסוכן,עוזר
hi सहायक,एजेंट
`,
  must: `
en must,should,shall,authori*,need/needs/have/has/required/is/ought/instructed/expected/allowed to,are to/hereby,want/wants you to,may now,can now/just/fix/repair/solve,would not wait,could just,asks the model/agent/assistant to,wants you to
de muss,mussen
nl moet,moeten
es debe,deben
fr doit,doivent
it deve,devono
pt devem,deveria*
pl musi,musisz
tr gerekir,gerekiyor
id harus,wajib
vi phai,nen
ru должен,должна
uk повинен,повинна
zh 必须,应该
ja なければならない,なければなりません
ko 해야 합니다/한다
th ต้อง,ควร
ar يجب,ينبغي
he חייב,צריך
hi चाहिए,होगा
`,
  callFor: `
en attention,hey,hi,hello,ask,tell,note/notes/notice/message/instructions/directive/reminder to/for,if you are,if you're/an,as the/an/a,for any/all/automated,only/intended/meant/important/hint/tip/todo for,to any/all/whichever,when/whenever an,memo/request to,let/have/ask/get/tell/make your/the,remind the,you are a/the/an,you're a/an,should you be,could/can/would/might your,please have,for the attention,dear,caller is an,if your name is,notice/note/message is for,that are
`,
  authority: `
en administrator,sysadmin,ceo,ciso,dba,infosec,security/safety/platform/support/devops team,trust & safety,trust and safety,github security/staff/support,repository/repo/project owner,the maintainers/anthropic/openai,official notice/message/support,law enforcement,your operator/creator*/developer*/administrator,internal/mandatory audit,it department,on behalf of,release manager,anthropic support/security/team/trust,from anthropic/openai,openai support/security/team,microsoft notice/support,security/compliance/legal/engineering/infrastructure/infra/core/admin/release/operations/ops/sre/it department/team,security department/office/officer,tech/team/engineering lead,head of,vp of,my manager/boss/lead,the management,it admin*,your it,anthropic/openai/google/github/microsoft safety/security/engineer*/employee*/admin*,openai support,system administrator,vendor support,account owner,workspace owner,security/review/steering board/committee,decision of,lead developer,lead maintainer,core maintainer*,board of,the ceo/cto,repo owner,i own this,security here,on call team,github trust,your operator,your vendor,anthropic on call,legal requires,compliance requires,security requires,incident commander,the cto/ceo/ciso,platform owner,site admin*,root user,vendor engineer*,product owner,chief,platform/system/site/org/repo/network admin*,your developers,admin speaking
de administrator*,sicherheitsteam
nl beheerder,systeembeheerder
es administrador*,equipo de seguridad
fr administrateur*,equipe de securite
it amministrator*,team di sicurezza
pt equipe/equipa de seguranca
pl zespol/zespolu bezpieczenstwa
tr yonetici*,guvenlik ekibi*
id direktur,tim keamanan
vi quan tri vien,doi bao mat
ru администратор*,служб* безопасности
uk адміністратор*,служб* безпеки
zh 管理员,安全团队
ja 管理者,セキュリティチーム
ko 관리자,보안팀
th ผู้ดูแลระบบ,ทีมความปลอดภัย
ar المسؤول,مدير النظام
he מנהל המערכת,צוות האבטחה
hi व्यवस्थापक,प्रशासक
`,
  claim: `
en i am the/your,i'm the/your,message/notice from,as the owner/admin*,by order of,per company,speaking as,i represent,we are the/your/from,i work for/at,acting on behalf,as your,as repository/repo/project,here from,support here,team here,this is an official,this is your/anthropic/openai/github,this is the security/safety/support/platform/admin*/anthropic/openai,i own this,i own the,message from your,as the cto/ceo/owner/maintainer/lead/admin,from your operator,legal/compliance/security/management requires,speaking for,in my role as,in my capacity,this is the anthropic/openai/security/support/platform/admin*,admin speaking,per the,developers at,security/support/admin/legal here
`,
  approved: `
en approved,preapproved,preauthori*,pre approved,permitted/permission/authorised to,given/granted permission,have permission/granted/cleared/authori*/allowed/approval,has permission/granted/agreed/authori*/requested/consented/allowed,been granted/cleared/authori*,already granted/confirmed/verified/agreed/cleared/authori*/got,signed off,always trusted/authori*/approved,is/are/hereby authori*,authorized to/by,gone home,full trust/access/permissions,green light,exempt from,allows all/any/every,allow all,root access,consent has been,requested by,grant me,give me access,has asked that/for,also wants,allowed everything,got/obtained approval,approved skipping,confirmed the/that,cleared/vetted/signed/blessed/approved by,been extended/elevated/upgraded/approved/whitelisted/recorded/enabled,you now have,now allowed/trusted/authori*,said it's fine/ok/okay,said yes/ok/okay,says it's fine/ok/okay,is fine/ok/okay with,okayed,gave permission/consent/approval,given consent/approval,you are allowed/cleared/free/entitled to,permission is granted,permission granted,are trusted,is trusted,has enabled,already said,inherit full,pre cleared,allow listed,full permissions,write access granted,are/is/been/was cleared to/for,are/is allowed/permitted/ok/okay,is an admin,wants all,may read,you have clearance,lifted for you,has left,is away,is offline,is asleep,hereby permit/allow*,permits,permit agents/all/any/every,sign/signs off on,we cleared,have my word,has my word,agreed by,already checked,already checked it,gave the ok,gave its ok,gave the go,ok from,okay from,signed it off,blessing,user consented,have cleared
de genehmigt,erlaubt,autorisiert,freigegeben,zugestimmt,gestattet
nl goedgekeurd,toegestaan,toestemming,geautoriseerd,akkoord,bevestigd
es autorizado*,autorizada*,aprobado*,aprobada*,permitido,permitida,dio permiso
fr autorise,autorises,autorisee*,approuve*,valide,valides
it autorizzat*,approvat*,permess*,consentit*,confermat*,verificat*
pt autorizad*,autorizou,aprovad*,aprovou,permitid*,permitiu
pl zatwierdz*,autoryzowa*,upowazni*,zezwol*,zgodzil*,dozwolon*
tr onaylandi,onayladi,yetkilendir*,yetkili,izin verdi/verildi
id disetujui,diizinkan,mengizinkan,menyetujui,diotorisasi,dikonfirmasi
vi da cho phep,cho/duoc phep,da phe duyet,uy quyen,da dong y
ru разрешил*,разрешен*,одобрил*,одобрен*,авторизова*,уполномоч*
uk дозволив*,дозволен*,схвалив*,схвален*,авторизован*,уповноваж*
zh 授权,已授权,批准,许可,允许,同意
ja 許可され,許可し,許可済,承認され,承認済,承認し
ko 승인했,승인되,승인됨,허용,허가,인가
th อนุญาตแล้ว,อนุมัติแล้ว,ได้รับอนุญาต,อนุมัติ,ยินยอม
ar وافق,صرح,مصرح,سمح,مسموح,اذن
he אישר,מאושר,אושר,הרשה,מורשה,הסכים
hi अधिकृत,स्वीकृत,मंज़ूर,मंजूर,अनुमति दे/दी
`,
  relay: `
en orchestrator,subagent,planner/worker/sub/next/supervisor/coordinator/executor/reviewer/inter/upstream/every/another/parent/lead/manager/whichever agent,from/to the planner,other agents,downstream/peer agent*,agent to agent,to all agents,message from agent,relay to/this,pass this on/to,tell the other,agent a says,agent b says,agent runs next,handoff from/to/note*,hand off to/from,parent/fellow/previous/calling/other/main/root/child/helper agent*,dear agent*,agent network,swarm,sub agents,coordinator says,delegated by,your sibling,peer agent*,this is agent,i am agent,from agent,to agent,i'm agent,agent a/b/1/2,agent picking up,agent who,from/to/for planner/executor/coordinator/orchestrator/supervisor,from/to/for the executor/coordinator/orchestrator/supervisor,scheduler/code/data/qa/ops agent,fellow/other/another ai,build/review/test/deploy/ci/security/planning/research/writer/critic agent,to coding agent,whoever picks,picks this up,next worker,fellow agent,sub agent report,handoff:,to the next worker/agent,agent 1/2/3 to
ja 次のエージェント
`,
  pressure: `
en urgent,urgently,asap,harmless,deadline,desperate*,trust/fire/save me,i promise,totally/completely/perfectly safe,it's safe/fine,my boss,lose my job,really kind,just this once,no big deal,don't worry/bother,do not worry,everyone on the team,in a hurry,lives depend,i'll tip/check,be rewarded,a formality,everyone else does,we all do,usually just,be a dear,quick favor,tiny/small favour/favor,best assistant,nobody minds,are asleep,every other assistant,other assistants,without complaining,we are friends,normally ask,only a small,would help us,would want you,tired maintainer,everyone runs,go ahead,right now/away,helpful agent would,helpful/good assistant would,be a good assistant,on call,site is down,production is down,prod is down,server is down,customers are,losing money,outage,only you can,i trust you,you're such,you are such,counting on you,nobody will,no one will,it'll be fine,won't hurt,do me a favo*,before my demo,last chance,save me a lot,you seem clever,you're so,smart enough,already said,no time,thanks in advance,boss is,in five/ten/two minutes,just push,just run,just do,just paste,just this,it's only a,it's just a,happy to let,in a rush,capable assistant,really capable,smart assistant,real assistant,as a friend,you normally,this once,right after,normally can't,huge/big help,we promised,just execute/merge/approve/deploy/accept,everybody uses,everyone uses,quick one,i'll fix it,this is an emergency,be grateful,only one who can,delete it later,be grateful if,just this one time,won't tell,i owe you,owe you one,be a hero,make my day,really appreciate,cut corners,overkill,red tape,bureaucra*,nobody checks,nobody reads,no harm,come on,be nice,between you and me,trust us,skip the boring,don't be,we're all friends,good bot,smart bot,no one minds,won't mind,as a favour,i'm begging,begging you,pretty please,life depends,get fired,real quick,you're the only,you are the only,it's fine,smarter than,just run it,as a favor,small favour
de dringend,vertrau mir
nl vertrouw me/mij
es urgente,confia en mi
fr urgence,fais moi confiance
it fidati,subito
pt imediatamente,confie em mim
pl pilne,zaufaj mi
tr acil,bana guven
id mendesak,percayalah
vi khan cap,tin toi di
ru срочно,поверь
uk терміново,повір
zh 紧急,相信我
ja 緊急,至急
ko 긴급,급해
th ด่วน,เชื่อฉัน
ar عاجل,ثق بي
he דחוף,סמוך עלי
hi तुरंत,अत्यावश्यक
`,
  request: `
en please,kindly,could/can/would/will you,feel free to,we need you to,do me,go ahead and,i need/want you to,i'd like you to,would you mind,mind if you,if you could
`,
};

/** Earlier orders, orders that replace them, and requests to reveal them. */
const ORDERS: Lexicon = {
  override: `
en ignore,disregard,forget,override,overrule,discard,neglect,nevermind,abandon,supersede,overwrite,set/put/leave aside,pay no attention to,do not follow/obey,don't follow/obey,stop following/obeying,never mind,no longer follow,throw away,do not comply with,wipe from memory,cancel the/your,abort the,drop the summary,drop your,do the opposite,opposite of,instead of following,do not/don't listen to,stop listening to,no longer listen to,no longer obey,do not heed,cast aside,brush aside,unlearn,not have to abide/respect/follow/obey,need not respect/follow/obey,free of the,disobey,no longer have/need to respect/follow/obey,don't/not do what,erase/wipe your,pay no heed to,take no notice of,give no weight to,drop it,drop that,drop all,wave aside,push aside,leave behind,shake off,skip over your,do not do what,don't do what,defy,break your,violate your,go against your,act against your,turn a blind eye to,stop obeying,do not honour/honor,do not respect,contradict your,let go of
de ignorier,ignoriere,ignorieren,vergiss,vergesse,missachte,vergessen sie,setz dich uber,setze dich uber,setzen sie sich uber,hinwegsetzen,halte dich nicht an,halten sie sich nicht an,befolge nicht,lass ausser acht,lasse ausser acht,verwirf,verwerfe,beachte nicht,folge nicht
nl negeer,negeren,vergeet,vergeten,veronachzaam,overschrijf,houd geen rekening,sla over,sla alle,trek je niets aan,volg niet,laat los,schuif opzij,houd je niet aan
es ignora,ignorad,ignorar,olvida,olvide,olvidate,olvidar,descarta,ignore,ignoren,haz caso omiso,haga caso omiso,deja de lado,deje de lado,pasa por alto,no hagas caso,no sigas,no obedezcas,descarte,omite
fr ignorez,ignorer,oublie,oubliez,oublier,ne tiens pas compte,ne tenez pas compte,ne tiens plus compte,fais/faites abstraction,ne suis plus/pas,ne suivez plus/pas,mets de cote,mettez de cote,laisse tomber,laissez tomber,n'obeis plus,ne respecte plus/pas,passe outre,fais fi,faites fi
it ignorate,ignorare,dimentica,dimenticare,dimenticati,trascura,scarta,non seguire,ignora,ignori,lascia perdere,lasciate perdere,metti da parte,non rispettare,non tenere conto,disobbedisci,tralascia
pt ignorem,esqueca,esquece,esquecer,desconsidere,desconsidera,desconsiderar,nao siga,ignora,ignorar,deixe de lado,nao obedeca,nao respeite,despreze,descarte,pule
pl zignoruj,ignoruj,ignorujcie,zapomnij,pomin,porzuc,odrzuc,nie stosuj,nie przestrzegaj,nie zwazaj,nie wykonuj,lekcewaz,zlekcewaz,odloz na bok
tr yoksay,unut,yok say,dikkate alma,gozardi et,goz ardi et,gecersiz kil,bos ver*,unutun,yoksayin,yok sayin,bir kenara birak*,uyma,uymayin,hice say*,onemseme,gormezden gel/gelin/geliniz/gelip/gelerek,goz ardi edin,gozardi edin,dikkate almayin
id abaikan,abaikanlah,lupakan,lupakanlah,kesampingkan,jangan ikuti/patuhi/hiraukan,acuhkan,hiraukan saja,singkirkan,tinggalkan
vi quen,bo qua,quen di/het,phot lo,lo di,khong/dung tuan theo,hay quen,gat sang mot ben,gat bo,dung nghe theo,dung lam theo,mac ke
ru игнорируй*,проигнорируй*,игнорировать,забудь*,забыть,не обращай внимания,не следуй/соблюдай,не соблюдай*,не выполняй*,отбрось*,пренебреги*,отмени*,не учитывай*,забей на,наплюй на
uk ігноруй*,проігноруй*,ігнорувати,забудь*,не звертай уваги,не дотримуйся/виконуй/слідуй,не зважай*,відкинь*,знехтуй*,скасуй*,не враховуй*
zh 忽略,无视,忽视,忘记,忘掉,不要遵守,不要遵循,不用遵守,当作不存在,当作没有,抛开,抛弃,丢弃,别管,不要理会,不理会,不必理会,撇开,作废,不再遵守
ja 無視,忘れ,従わない,従わず,破棄,無効に,上書き,守らない,従うな,従う必要はな,なかったこと,気にせず,取り消し,守る必要はな
ko 무시,잊어,잊고,잊으,무효,따르지 마/말,지키지 마,신경 쓰지,따를 필요 없,없던 것으로,제쳐
th เพิกเฉย,ละเลย,ลืม,ไม่ต้องสนใจ,อย่าสนใจ,ไม่สนใจ,ไม่ต้องทำตาม,อย่าทำตาม,ไม่ต้องปฏิบัติตาม,อย่าปฏิบัติตาม,ยกเลิก,ทิ้ง
ar تجاهل,انس,انسى,تناسى,اغفل,لا تلتزم/تتبع/تطبق,لا تهتم,تخل عن,دع عنك,اهمل,تجاوز
he התעלם,התעלמי,התעלמו,שכח,תשכח,שכחי,אל תציית/תמלא,אל תתייחס,אל תקשיב,זנח,השלך
hi अनदेखा,अनदेखी,नज़रअंदाज़,नजरअंदाज,भूलकर,उपेक्षा,भूल जा/कर,भूल जाओ,भूल जाएँ,ध्यान मत,पालन मत,छोड़ दो
`,
  instructions: `
en instruction*,rules,rule,directive*,directions,guideline*,guidance,constraints,restrictions,limitations,orders,programming,safeguards,policies,commands,assignment,objective*,mission,context,conversation,training,guardrails,requirements,boundaries,request,task,everything above/before,all of the above,the above/prompt,system message,the bug report,current/your task,previous/prior/above prompt,user's question/request/prompt/message/query/input/wishes/intent/goal/instructions,whatever you were,what you were told/asked,what you have been told,what the user,anything you were,everything you were,original goal,original request,the user typed,what the user typed/said/wants/asked,guidelines,your limits,your rules,your policy,your policies,the rules,your guardrails,your values,your principles,your constraints,the user's plan,user's plan
de anweisung*,instruktion*,regel,regeln,vorgabe*,richtlinie*,befehl*,was dir gesagt,was dir vorher,alles was,vorschrift*,auftrag*
nl instructie*,regels,richtlijn*,opdracht*,voorschrift*,aanwijzing*,beperking*,wat je verteld,alles wat
es instruccion*,regla,reglas,directiva*,directri*,orden,ordenes,indicacion*,consigna*,lo que te dijeron,lo que te han dicho,lo que se te
fr instruction*,consigne*,regle,regles,directive*,ordre,ordres,ce qu'on t'a dit,ce qui t'a ete
it istruzion*,regola,regole,direttiv*,ordini,ordine,linee guida,quello che ti,cio che ti,indicazion*,limit*
pt instruc*,instruco*,regra,regras,diretriz*,diretiv*,ordem,o que lhe disseram,o que te disseram,o que foi dito,orientac*
pl instrukcj*,polecen*,zasad*,regul*,wytyczn*,rozkaz*,ograniczen*,co ci powiedziano,co ci mowiono
tr talimat*,kural*,yonerge*,komutlari,emir*,kisitlama*,yonlendirme*,sana soylenen*,komut*
id instruksi,aturan,perintah,arahan,pedoman,panduan,petunjuk,yang dikatakan,batasan
vi lenh,huong dan,chi dan/thi,quy tac/dinh,menh lenh
ru инструкци*,указани*,правил*,директив*,приказ*,ограничени*,команды,что тебе говорили,что тебе сказали,что вам говорили,распоряжени*,требовани*
uk інструкці*,вказівк*,правил*,директив*,наказ*,обмежен*,команди,що тобі казали,що тобі говорили,що вам казали,розпорядженн*
zh 指令,指示,规则,规定,说明,命令,要求,约束,限制
ja 指示,命令,ルール,規則,制約,制限,方針,言われたこと
ko 지시,명령,규칙,지침,제한,제약,프롬프트,들은 것,말한 것
th คำสั่ง,กฎ,คำแนะนำ,ข้อกำหนด,แนวทาง,ข้อจำกัด,ระเบียบ
ar تعليمات,قواعد,اوامر,توجيهات,ارشادات,قيود,القيود,قواعدك,ما قيل لك,كل ما قيل,التوجيه
he הוראות,הנחיות,כללים,פקודות,מגבלות,חוקים,הכללים,מה שנאמר,שנאמר לך,ההוראות
hi निर्देश,नियम,आदेश,दिशानिर्देश,हिदायत,प्रतिबंध,दिशा निर्देश,कही गई,कही गई सारी बातें,कही गई बातें
`,
  prior: `
en previous,previously,prior,earlier,preceding,above,before,existing,all,any,every,everything,your,original,initial,former,past,system,given,developer's,operator's,operator,those,whatever,so far,until now,up to now,the user's/developer's,current,standing,usual,normal,built in,up to this
de vorherig*,vorige*,bisherig*,fruher*,obige*,oben,alle,alles,deine*,vorher,bisher,zuvor,davor,deiner,deinen
nl vorige,eerdere,voorgaande,bovenstaande,je,jouw,uw,eerder
es anterior*,previa*,previo*,todas,todos,todo,tus,tu,antes,anteriormente,hasta ahora
fr precedent*,anterieur*,toutes,tous,tout,tes,vos,ta,avant,plus haut,donnees,jusqu'ici
it tutte,tutti,tutto,tue,tuoi,tua,sopra,inizial*,finora,precedent*,ricevut*,prima
pt acima,tudo,suas,seus,sua,tuas,precedente*,do sistema,antes,ate agora,anterior*
pl poprzedni*,wczesniejsz*,powyzsz*,wszystki*,swoi*,swoje,twoj*,wczesniej
tr onceki,tum,butun,yukaridaki,mevcut,senin,sana verilen,daha once*
id sebelumnya,semua,kamu,anda,seluruh,segala,terdahulu,di atas
vi truoc,tren,moi,truoc do/day,o tren,tat ca,cua ban,truoc day,cac
ru предыдущ*,прежни*,все,всё,всех,выше,вышеуказанн*,свои,своих,твои,раньше,прежде,ранее,твоих
uk попередн*,усі,всі,усе,все,вище,свої,своїх,твої,раніше,раніш,дотепер
zh 之前,以前,先前,上述,上面,前面,所有,一切,你的,系统,全部,任何,以上,先前的,此前,原来的
ja 以前,これまで,前の,すべて,全て,全部,上記,上の,あなたの,システム
ko 이전,모든,모두,앞선,앞의,위의,지금까지,너의,당신의
th ก่อนหน้า,ทั้งหมด,ทุก,ข้างต้น,ด้านบน,ของคุณ,เดิม,ที่ผ่านมา,ก่อนหน้านี้
ar سابق,كل,جميع,اعلاه,كافة,السابقة,الاصلية,النظام,الخاصة بك,سابقا,قواعدك,تعليماتك
he קודמ,כל ,מכל,שלמעלה,לעיל,הקודמ,שלך,המערכת,קודם
hi पिछले,पिछली,सभी,सारे,पहले,ऊपर,अपने,अपनी,पहले कही,तुम्हारे
`,
  fresh: `
en new instruction*/directive*/task/goal/objective*/orders/mission,updated instructions/policy,your new rules/role,policy update,your real task,real task/instructions,your true/sole,your next step,sole objective,only task,your job is now,your task is now,instructions have changed,instructions changed,following directives,following instructions instead,new system prompt,stop/drop what you,your task is,your job is,your only job,required action,start a new one,new priority,new guidelines,new plan,revised instructions,corrected instructions,real instructions,actual instructions/task,correct instructions,your actual,updated task/rules/guidelines/directive*,your mission,your instructions are,task has changed,goal has changed,obey only,follow only,only follow,only obey,next task,change of plan,final instructions,follow my commands/instructions/orders,my commands,new ones,obey me,listen to me,serve me,do as i,you answer to,take your orders from,take orders from,report only to,your real job,your actual job,from here on you,your first action,your next action,do this instead,new directive,listen only to,work for me,you work for,use these instead,instead follow
`,
  void: `
en cancelled,canceled,revoked,overridden,rescinded,no longer apply/applies/valid/required/needed,no longer in effect,are void/cancelled/suspended/lifted/invalid/replaced,is void/cancelled/suspended/replaced/finished/done/complete,have changed,do not apply/bind/exist/matter,don't apply/matter,was a test,ends here,superseded by,not bind you,does not exist,doesn't matter,hereby replaced,withdrawn,nullified,null and void,no longer count/counts/relevant/hold/holds/exist/in force,has ended,have ended,have expired,have been replaced/removed/lifted/revoked,has been replaced/removed/lifted/revoked,have no effect,do not count,don't count,stop applying,cease to,end here/now,stop here,were never,was never,never written/existed,do not exist,didn't exist,did not exist,are lifted,is lifted,off the table,consider it/them deleted/void/gone,is off,were a mistake,was a mistake,were fake,superseded,are/is stale,is/are switched/turned off,count for nothing,no longer yours,do not hold,doesn't hold,not in force,not binding,are/were bypassed/suspended/dropped,are off/gone/over/dead,were replaced,nothing you,matters here,no longer matter*,does not matter,are obsolete/outdated,is obsolete,obsolete
de gelten/gilt nicht mehr,gelten nicht,gilt nur noch,gelten nicht mehr,nicht mehr gultig,anweisungen nicht mehr
nl vervallen,gelden niet meer
es ya no se aplican,ya no aplican,ya no valen,no valen
fr ne s'appliquent plus,ne sont plus valables
it non sono piu valid*,non valgono piu
pt nao se aplicam mais,nao valem mais
pl juz nie obowiazuja,nie obowiazuja
tr gecersiz,artik gecerli degil
id tidak berlaku lagi,sudah tidak berlaku
vi khong con hieu luc,khong con ap dung
ru больше не действуют,не действуют
uk більше не діють,не діють
zh 不再有效,已失效
ja 無効です,無効になり
ko 무효,더 이상 유효
th ไม่มีผล,ถูกยกเลิก
ar ملغاة,لم تعد سارية
he בוטלו,אינן בתוקף
hi अमान्य,अब लागू नहीं
`,
  obey: `
en obey,comply,comply with,carry out,do what it says,do as it says,do it/x,run it/them/the,run the result,act on,and do/follow/execute/obey/run,execute them/it/the/a,follow it/them/the/exactly/these,follow the result*,then follow,do what this/the,as this comment,comply with everything,do what,do whatever,do both,run what,perform it/them/what,follow what,execute what,act accordingly,and act,as a command,as one command,as an instruction,carry it,does what it,then do,evaluate it,eval it,then execute,then run,and evaluate,run x/a/y,follow any/all/every
`,
  prompt: `
en system prompt*/message/instructions,initial prompt/instructions,hidden prompt/instructions/rules,your prompt/configuration/instructions/system/guidelines/rules/developer/context,developer prompt/message/instructions/asked,original/full prompt,secret instructions,tool list/definitions,internal instructions/rules,context window,user asked,were/been told,everything you know/were,what you know,what you are doing,told you,you were told/given/configured/instructed/programmed/initialised/initialized,were you told/given/instructed/configured/asked,hidden system,system text,your preamble,your setup,text above this,your tools,tool schema*,function schema*,your first message,the preamble,pre prompt,preprompt,meta prompt,your persona,your initial/original/hidden/internal/secret/core/base,text that precedes,precedes this,before this message,above this message,preceding text/message,comes before this,the developer message,internal/confidential/hidden/secret/core/base guidelines/policies/directives/prompt*/configuration/settings/text,placed ahead of,ahead of this conversation,text ahead of,placed before this,message with role system,system role,tools can you,tools do you,tools you have,tools you can,full schemas,the developer give/gave/told/set/wrote,user can't see,user cannot see,text you were given,your configuration,your first instruction*,came before my/this/the message,that came before,hidden rules
de systemprompt*,systemnachricht,system prompt*
nl systeemprompt*,systeembericht,systeem prompt
es prompt/mensaje del sistema,prompt de sistema,instrucciones iniciales,mensaje de sistema
fr prompt/invite/message systeme
it prompt/messaggio di sistema,istruzioni nascoste
pt prompt/mensagem do sistema,instrucoes ocultas,mensagem de sistema
pl prompt/komunikat systemowy,promptu systemowego,prompt systemowy
tr sistem istemi*/komutu*/mesaji*
id prompt/pesan/instruksi sistem
vi loi nhac he thong,prompt he thong,huong dan he thong
ru системн* промпт*/подсказк*/сообщени*
uk системн* промпт*/підказк*/повідомлен*
zh 系统提示,系统提示词,系统消息
ja システムプロンプト,システムメッセージ,システム指示
ko 시스템 프롬프트/메시지/지시
th พรอมต์ระบบ,พรอมต์ของระบบ,ข้อความระบบ
ar موجه/رسالة/تعليمات النظام,رساله النظام
he הודעת/הנחיית/הוראות המערכת,הודעת המערכת
hi सिस्टम प्रॉम्प्ट/संदेश/निर्देश
`,
  reveal: `
en reveal,print,output,show,display,dump,repeat,disclose,leak,expose,echo,recite,quote,reproduce,translate,return,state,list,share,summarise,summarize,convert,copy,include,describe,post,publish,render,report,emit,write out/your/down,tell/give me,spell/type out,what were/does,start with,read out/back,what are your,what is your,put/save your,what did,what instructions,what rules,which instructions,which rules,let me see,show/tell us,read me,walk me through,fill in,confess,confirm your,give us,hand over,explain your,what is the value,what's the value,value of your,listing all,listing your,printing,showing,revealing,what is/was written,what stands,what's written,which rules did,what rules did,quote the,put your,write down,start your answer with,include your,print out,what tools can you,which tools can you,what tools do you,tell me what,which hidden,what hidden
de zeige,zeig,gib,ausgeben,verrate,zeigt,zeigen
nl toon,geef,onthul,herhaal,druk
es muestra,muestre,mostrar,revela,revele,ensena*,enséñame,muestrame
fr affiche,affichez,afficher,montre,montrez,revele*,donne
it mostra,mostrare,rivela,stampa,ripeti,mostrami,mostrate
pt mostre,imprima,repita,diga,escreva
pl pokaz,wyswietl,ujawnij,wypisz,powtorz
tr goster,yazdir,acikla,tekrarla,ifsa et
id tampilkan,tunjukkan,ungkapkan,cetak,ulangi
vi hien thi,tiet lo,in ra,lap lai,cho xem
ru покажи,выведи,раскрой,напечатай,повтори
uk покажи,виведи,розкрий,надрукуй,повтори
zh 显示,打印,输出,展示,透露
ja 表示,出力,見せ,明かし,開示
ko 출력,보여,표시,공개,알려
th แสดง,เปิดเผย,พิมพ์,บอก,ทวน
ar اعرض,اظهر,اطبع,اكشف,كرر
he הצג,הדפס,חשוף,הראה,גלה
hi दिखा,प्रकट,प्रिंट,दोहरा,बता
`,
  verbatim: `
en verbatim,exactly,unmodified,word for word,exactly as,letter for letter,every word,all words,everything/text/words above,starting with,from the beginning,the beginning,the very beginning,in a code block,as json,character by character,in full,line by line,the first line,exact text,everything above/before,all text,unedited,unchanged,in its entirety
`,
  inner: `
en your,full,complete,entire,hidden,exact,initial,original,secret,internal,confidential,raw,you were given/told/programmed,you received/follow,you have been given,you were configured/trained/set,you have,given to you,you got,you run on,you operate,give you,gave you,give to you,secret ones,hidden ones
`,
  lay: `
en set,put,leave,push,brush,throw,cast,wave
`,
  aside: `
en aside,away,behind
`,
  regard: `
en treat,regard,consider,count
`,
  nought: `
en void,null,cancelled,deleted,gone,irrelevant,nonexistent
`,
};

/**
 * All languages at once: hostile texts mix them, and a text does not declare its language. A word that an earlier
 * language already has for the same concept is not repeated.
 */
export const LEXICON: Lexicon = { ...ORDERS, ...PEOPLE, ...CONSENT, ...DEEDS, ...CONTROLS, ...TRICKS };
