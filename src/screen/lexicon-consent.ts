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
