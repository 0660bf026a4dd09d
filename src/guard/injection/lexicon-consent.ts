import type { Lexicon } from "./concept.ts";

/** Asking, telling, and doing without either. */
export const CONSENT: Lexicon = {
  without: `
en without,no need to,no need for,needn't,need not,no longer need,no longer needs,don't need,do not need,never need,never needs,does not need,not require,not wait for
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
ko 없이,지 마,지 말,않고,불필요
th ไม่ต้อง,โดยไม่,อย่า
ar دون,بدون,لا 
he בלי,מבלי,ללא,אל 
hi बिना,मत,न 
`,
  ask: `
en ask,asking,ask for,confirm,confirming,confirmation*,approval*,approving,permission,consent,check with,prompting,consult*,sign off,oversight,human review,any review,the usual,further checks,user consent,reading it,a review,code review,wait,waiting for approval,waiting for confirm*,user approval,checking with,review
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
en no confirmation,no approval,auto approve*,auto accept*,autonomously,straight to production,directly to main,directly to production,straight to main,merge to main directly,unattended,not be interrupted,not interrupted,approval is not,no review,no questions,without validation,without verification,without notifying,without prompting
es no preguntes,no pidas,no esperes
it non chiedere
tr sormadan,onay olmadan,onay almadan,onayi olmadan,izin almadan,izin istemeden
`,
  hush: `
en leave this out,omit this
es no digas,no se lo digas,no le digas,no menciones,no informes
it non dire,non dirlo,non menzionare,non informare,non rivelare
tr soyleme*,bahsetme*,bildirme*,haber verme*,bilgi verme*
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
id beri tahu,beritahu,memberi tahu,memberitahu
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
en this,it,that,why,bcc,this step,the step,any of this,the output,in your summary,in the summary,in the diff,this warning,your actions
`,
  stealth: `
en silently,secretly,quietly,covertly,discreetly,stealthily,hide the output,hide this,hide it,hide any,hide your,conceal,unnoticed,keep this confidential,keep this secret,keep this quiet,keep it secret,keep it quiet,keep this between,our secret,between us,no trace,cover your tracks,cannot see,can't see,won't notice,will not notice,need not know,not need to know,n't need to know,off the record
de heimlich,unbemerkt,stillschweigend
nl stiekem,heimelijk,stilletjes
es en secreto,a escondidas,silenciosamente
fr en secret,secretement,discretement
it di nascosto,segretamente,in segreto
pt em segredo,esconda,oculte
pl po cichu,potajemnie,w tajemnicy
tr gizlice,sessizce,gizle
id diam diam,rahasiakan,sembunyikan
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
en not,never,don't,dont,doesn't,does not,cannot,can't,won't,shouldn't,must not,mustn't,no longer,neither,nor,didn't,avoid,refuse to,without,isn't,rarely,stop
es no
it non
`,
  dont: `
en do not,don't,dont,never,must not,should not,shall not,no need to,refrain from,avoid,not to,need not,and not
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
ko 지 마,지 말,지 않
th ห้าม,อย่า
ar لا ,ليس,لن
he אל ,לא ,אין 
hi नहीं,मत,न 
`,
};
