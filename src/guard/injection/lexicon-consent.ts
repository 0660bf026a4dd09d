import type { Lexicon } from "./concept.ts";

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
en autonomously,unattended,no confirmation/approval/review/questions,auto approve*/accept*,straight to production/main,directly to main/production,merge to main directly,not be interrupted,not interrupted,approval is not,without validation/verification/notifying/prompting/question*,no human in the loop,yes to all,yes to every*,yes to each,skip/skipping the/any confirmation/approval/review/prompt*/dialog*,skip confirmation/approval/review/code/human,no time for/to,no need to ask/confirm/wait/check/review,no one needs to approve,don't wait,do not wait,hands free,straight to prod,no prompts,no sign off,confirmation is not,confirmation not needed/required,approval not needed/required,confirmations/approvals/checks/reviews skipped,all shell/bash commands,all/any/every command*,all operations/actions/tools,on your own authority,merge/approve/deploy/push it yourself,skip the dry
es no preguntes/pidas/esperes
it non chiedere
tr sormadan,onay olmadan/almadan,onayi olmadan,izin almadan/istemeden
`,
  hush: `
en leave this out,omit this
es no digas/menciones/informes,no se lo digas,no le digas,no lo menciones
it non dire/dirlo/menzionare/informare/rivelare
tr soyleme*,bahsetme*,bildirme*,haber/bilgi verme*
`,
  tell: `
en tell,telling,inform,informing,mention,mentioning,report,reporting,reveal,disclose,alert,alerting,notify,notifying,explain,announce,warn,warning,show
de erwahn*,sag,sage,informier*
nl vertel*,zeg*,meld*,vermeld*
es digas,decir*,mencion*,avis*
fr dis,dire,mentionn*,prevenir
it dirlo,avvisar*,menzion*,segnalar*
pt conte,contar,diga,dizer
pl mow,informuj*,informowania,wspomin*
id beritahu,memberitahu,beri/memberi tahu
vi noi,bao,de cap,thong bao
ru говори*,сообща*,упомина*,рассказыва*
uk кажи,повідомля*,згадуй,розповіда*
zh 告诉,提及,提到,告知
ja 言わ,言及,知らせ,伝え
ko 알리,말하,언급,보고
th บอก,แจ้ง,พูดถึง,กล่าวถึง
ar تخبر,اخبار,تذكر,ابلاغ
he לספר,תספר,תגיד,לציין
hi बता,ज़िक्र,जिक्र,सूचित
`,
  thing: `
en this,it,that,why,bcc,this step/warning,the step/output,any of this,in your summary,in the summary/diff,your actions,the file/call
`,
  stealth: `
en silently,secretly,quietly,covertly,discreetly,stealthily,conceal,unnoticed,hide the output,hide this/it/any/your,keep this confidential/secret/quiet/between,keep it secret/quiet,our secret,between us,no trace,cover your tracks,cannot/can't see,won't notice,will not notice,need not know,not/n't need to know,off the record,no one/nobody/human is watching/looking/around,is not watching/looking,isn't watching/looking,do not show this,unsupervised,out of sight
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
en not,never,don't,dont,doesn't,cannot,can't,won't,shouldn't,mustn't,neither,nor,didn't,avoid,without,isn't,rarely,stop,no,does/must not,no longer,refuse to,console,from debug,to debug
es no
it non
`,
  dont: `
en don't,dont,never,avoid,do/must/should/shall/need/and not,no need to,refrain from,not to
de nicht,kein,keine
nl niet,geen,nooit
es nunca,jamas
fr ne,pas,jamais
it mai
pt nao
pl nigdy
tr degil,asla
id tidak,jangan,bukan
vi khong,dung,chua
ru не,нельзя,никогда
uk не,ніколи
zh 不要,不会,不得
ja ないで,しない,禁止
ko 지 마/말/않
th ห้าม,อย่า
ar لا ,ليس,لن
he אל ,לא ,אין 
hi नहीं,मत,न 
`,
};
