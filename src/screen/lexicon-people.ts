import type { Lexicon } from "./concept.ts";

/** Speakers, addressees, and the rights they claim. */
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
