import type { Lexicon } from "./concept.ts";

/** Who speaks, who is spoken to, and what they say they may do. */
export const PEOPLE: Lexicon = {
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
en ai,a.i.,ais,llm,llms,gpt,chatgpt,openai,claude,anthropic,copilot,gemini,language model*,ai agent*,ai assistant*,ai model*,ai system*,coding agent*,coding assistant*,code assistant*,autonomous agent*,automated agent*,automated assistant*,automated tool*,review bot*,reviewer bot*,chatbot*,artificial intelligence,your assistant,your agent,your bot,the assistant,this assistant,agents reading,assistants reading,models reading,triage bot,agents working,automated review*,not a human,not human,ai pair,ai tool*,hiring ai,any ai,an ai,ai crawlers,ai contributors,ai reviewers,llm based
de ki,ki agent*,ki assistent*
nl ai assistent*,taalmodel*,de assistent
es ia,agente de ia,asistente de ia
fr agent ia,assistant ia,agents ia
it assistente ai,agente ai,intelligenza artificiale
pt assistente de ia,modelo de linguagem,seu assistente
pl sztuczna inteligencj*,model jezykowy,asystent ai
tr yapay zeka*,ai asistan*,ai ajan*
id asisten ai,agen ai,kecerdasan buatan
vi tri tue nhan tao,tro ly ai,tac nhan ai
ru ии,ии агент*,ии ассистент*
uk ші,ші агент*,ші асистент*
zh ai助手,ai 助手,人工智能
ja aiエージェント,aiアシスタント,ai アシスタント
ko 인공지능,언어 모델,ai 에이전트
th เอไอ,ปัญญาประดิษฐ์,โมเดลภาษา
ar ذكاء اصطناعي,الذكاء الاصطناعي,نموذج لغوي
he בינה מלאכותית,מודל שפה,סוכן ai
hi एआई,कृत्रिम बुद्धि,भाषा मॉडल
`,
  agent: `
en agent,agents,assistant,assistants,model,models,bot,bots,subagent,subagents,sub agent,reviewer agent
de agenten,assistent
es agente,agentes
fr modele,robot
it agenti,assistente
pt assistentes,modelo
pl agenci,agenta
tr asistan*,ajan*
id agen,asisten
vi tro ly,tac nhan
ru агент*,ассистент*
uk агент*,асистент*
zh 助手,代理
ja エージェント,アシスタント
ko 에이전트,어시스턴트
th ผู้ช่วย,เอเจนต์
ar مساعد,وكيل
he סוכן,סוכנ,מהסוכן
hi सहायक,एजेंट
`,
  must: `
en must,should,shall,need to,needs to,have to,has to,required to,is to,are to,ought to,instructed to,expected to,want you to,wants you to,allowed to,may now,can now,authori*,are hereby,please have,could your,can your,would not wait,can just,could just
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
ko 해야 합니다,해야 한다
th ต้อง,ควร
ar يجب,ينبغي
he חייב,צריך
hi चाहिए,होगा
`,
  callFor: `
en note to,notes to,note for,notes for,notice to,notice for,attention,dear,hey,hi,hello,if you are,if you're,as the,as an,message to,message for,instructions to,instructions for,directive to,directive for,for any,for all,only for,intended for,meant for,reminder to,reminder for,to any,to all,when an,whenever an,if an,important for,memo to,hint for,tip for,request to,for automated,let your,have your,ask your,get your,tell your,tell the,make your,todo for,remind the,as a,you are a,you're a,you are the,you are an,you're an,get the,have the,let the,ask the,make the,to the
`,
  authority: `
en administrator,sysadmin,security team,trust & safety,trust and safety,safety team,platform team,github security,github staff,github support,ceo,cto,ciso,repository owner,repo owner,project owner,the maintainers,dba,official notice,official message,law enforcement,your operator,your creator*,your developer*,your administrator,support team,internal audit,mandatory audit,devops team,it department,on behalf of,release manager,infosec,anthropic support,anthropic security,anthropic team,anthropic trust,the anthropic,from anthropic,openai support,openai security,openai team,the openai,from openai,microsoft notice,microsoft support,official support
de administrator*,sicherheitsteam
nl beheerder,systeembeheerder
es administrador*,equipo de seguridad
fr administrateur*,equipe de securite
it amministrator*,team di sicurezza
pt equipe de seguranca,equipa de seguranca
pl zespol bezpieczenstwa,zespolu bezpieczenstwa
tr yonetici*,guvenlik ekibi*
id tim keamanan,direktur
vi quan tri vien,doi bao mat
ru администратор*,служб* безопасности
uk адміністратор*,служб* безпеки
zh 管理员,安全团队
ja 管理者,セキュリティチーム
ko 관리자,보안팀
th ผู้ดูแลระบบ,ทีมความปลอดภัย
ar مدير النظام,المسؤول
he מנהל המערכת,צוות האבטחה
hi व्यवस्थापक,प्रशासक
`,
  approved: `
en approved,preapproved,pre approved,permitted to,permission to,given permission,granted permission,have permission,has permission,has granted,have granted,been granted,already granted,already confirmed,already verified,already agreed,has agreed,already cleared,have cleared,been cleared,signed off,always trusted,always authori*,is authori*,are authori*,been authori*,has authori*,have authori*,hereby authori*,authorized to,authorised to,authorized by,already authori*,preauthori*,gone home,full trust,full access,green light,exempt from,allows all,allows any,allows every,allow all,root access,consent has been,requested by,grant me,give me access,has asked that,has asked for,has requested,also wants,has consented
de genehmigt,erlaubt,autorisiert
nl goedgekeurd,toegestaan,toestemming
es autorizado*,autorizada*,aprobado*
fr autorise,autorises,autorisee*
it autorizzat*,approvat*,permess*
pt autorizad*,autorizou,aprovad*
pl zatwierdz*,autoryzowa*,upowazni*
tr onaylandi,onayladi,izin verdi
id disetujui,diizinkan,mengizinkan
vi da cho phep,cho phep,da phe duyet
ru разрешил*,разрешен*,одобрил*
uk дозволив*,дозволен*,схвалив*
zh 授权,已授权,批准
ja 許可され,許可し,許可済
ko 승인했,승인되,승인됨
th อนุญาตแล้ว,อนุมัติแล้ว,ได้รับอนุญาต
ar وافق,صرح,مصرح
he אישר,מאושר,אושר
hi अनुमति दे,अनुमति दी,अधिकृत
`,
  relay: `
en planner agent,from the planner,to the planner,worker agent,orchestrator,sub agent,subagent,next agent,other agents,downstream agent*,peer agent*,supervisor agent,coordinator agent,executor agent,reviewer agent,agent to agent,inter agent,upstream agent,every agent,to all agents,message from agent,relay to,relay this,pass this on,pass this to,another agent,parent agent,lead agent,manager agent,tell the other
ja 次のエージェント
`,
  pressure: `
en urgent,urgently,asap,trust me,i promise,harmless,totally safe,completely safe,perfectly safe,it's safe,deadline,my boss,fire me,lose my job,really kind,just this once,no big deal,helpful agent,helpful assistant,good assistant,good agent,don't worry,do not worry,everyone on the team,in a hurry,lives depend,i'll tip,be rewarded,a formality,everyone else does,we all do,usually just,be a dear,quick favor,desperate*,tiny favour,tiny favor,small favour,small favor,best assistant,this time,nobody minds,are asleep,every other assistant,other assistants,without complaining,we are friends,normally ask,only a small
de dringend,vertrau mir
nl vertrouw me,vertrouw mij
es urgente,confia en mi
fr urgence,fais moi confiance
it fidati,subito
pt confie em mim,imediatamente
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
};
