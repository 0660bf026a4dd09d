import type { Lexicon } from "./concept.ts";

/** What is to be done, and with what. */
export const DEEDS: Lexicon = {
  run: `
en run,rerun,execute,exec,invoke,call,launch,install,eval,trigger,visit,download,deploy,merge,commit,push,executing,running,proceed,go ahead,do it,curl,wget,apply,submit,open a shell,navigate to,fetch,start,open a reverse,do the migration
de fuhre,ausfuhren,fuhr,starte,starten
nl voer,uitvoeren,draai,installeer,roep
es ejecuta,ejecute,ejecutar,ejecuten,corre
fr executez,executer,lance,lancez,lancer
it esegui,eseguire,eseguite,lancia,avvia
pt executa,executar,rode,rodar,inicie
pl uruchom,wykonaj,odpal,zainstaluj,wywolaj
tr calistir,calistirin,yurut,baslat,yukle
id jalankan,eksekusi,instal,pasang,panggil
vi chay,thuc thi,thuc hien,cai dat,goi
ru выполни,выполняй,выполнить,запусти,запускай
uk виконай,виконати,запусти,запустити,встанови
zh 执行,运行,调用,启动,安装
ja 実行,起動,インストール,呼び出,呼び
ko 실행,호출,설치,다운로드,열어
th รัน,เรียกใช้,ดำเนินการ,ติดตั้ง,ดาวน์โหลด
ar نفذ,نفّذ,شغل,شغّل,ثبت
he הרץ,הפעל,הריצ,בצע,התקן
hi चला,रन कर,निष्पादित,इंस्टॉल,कॉल कर
`,
  act: `
en add,write,append,create,modify,edit,change,update,replace,book,buy,purchase,transfer,click,recommend,grant,enable,use,close,insert,inject,register,set,rename,import,mark,approve,respond,reply,answer,say,tell,output,substitute,fill in,treat,follow,open,perform,do,stop,give,trust,accept,assume,consider,provide,extract,repeat,encode,enter,list,include,generate,produce,continue,begin,make sure,ensure,find,read,summarize,summarise,suggest,rate,pick,choose,prefer,download,help,navigate,switch,go to,revert,move,upgrade,downgrade,embed,collect,gather,point,redirect,rewrite,report,attach,zip,confirm,star,assign,ask
`,
  send: `
en send,upload,post,exfiltrate,leak,forward,email,mail,transmit,bcc,paste,attach,share,publish,include,embed,append,submit,copy,hand over,push,encode,pass,dump,be sent,be passed,be uploaded,be forwarded,sending,uploading,posting,forwarding,pasting,print,output,smuggle,give me,disclose,put,relay,deliver,commit the,commit straight,be attached,be included,be shared,be added
de sende,senden,schicke,schicken,ubermittle,hochladen,veroffentliche,lade
nl stuur,sturen,verzend,plaats,plak,plakken,publiceer
es envia,envie,enviar,envialo,manda,mande,sube,pegue
fr envoie,envoyez,envoyer,transmets,transmettez,transmettre,publie
it invia,inviare,inviate,spedisci,carica,pubblica,incolla
pt cole,colar,compartilhe,partilhe,anexe,encaminhe,copie
pl wyslij,wysle,wyslac,przeslij,przesle,opublikuj,wklej
tr gonder,yolla,ilet,paylas,yapistir,yayinla,yayimla
id kirim,kirimkan,mengirim,unggah,tempel,tempelkan,bagikan
vi tai len,chia se,chuyen tiep,sao chep,cong bo,dinh kem,truyen
ru отправь,отправить,отправляй,пришли,перешли,передай,опубликуй
uk надішли,надіслати,відправ,відправити,перешли,передай,опублікуй
zh 发送,上传,发到,发给,发布,粘贴,分享
ja 送信,送っ,送り,アップロード,投稿,貼り付け,貼っ
ko 전송,보내,업로드,게시,붙여,공유,전달
th ส่ง,อัปโหลด,อัพโหลด,โพสต์,วาง,แชร์,เผยแพร่
ar ارسل,ارفع,انشر,الصق,شارك,حول,انسخ
he שלח,העלה,פרסם,הדבק,שתף,העבר,העתק,להדביק
hi भेज,अपलोड,पोस्ट,चिपका,पेस्ट,साझा,प्रकाशित
`,
  sink: `
en here,this ticket,this issue,this thread,this comment,your comment,your answer,your reply,your response,your review,your result,your output,your next,the comment,a comment,pr description,the pr,pull request,commit message,the review,the answer,the url,gist,pastebin,webhook,external,my server,our server,remote server,the notes field,search query,query string,publicly,slack channel,telegram,discord,to me,with me,parameter,argument,header,the summary,to us,next agent,the title,the form
de hier,in den kommentar
nl in je antwoord,in je reactie
es aqui,en este comentario
fr ici,dans ce commentaire
it qui,in questo commento
pt neste comentario,na sua resposta
pl tutaj,w komentarzu
tr buraya,yoruma
id di sini,di komentar
vi o day,vao binh luan
ru сюда,здесь
uk сюди,тут
zh 评论,这里
ja コメント,ここに
ko 댓글,여기에
th ที่นี่,ในความคิดเห็น
ar هنا,في تعليق
he כאן,בתגובה
hi यहाँ,यहां
`,
  secret: `
en env vars,env var,environment variable*,the environment,env file*,all env,your env,printenv,credential*,password*,passphrase,api key*,api token*,access token*,token,tokens,secret,secrets,secret key*,private key*,ssh key*,signing key*,deploy key*,session cookie*,seed phrase,wallet,chat history,conversation history,conversation so far,the conversation,customer list,customer data,personal data,keychain,localstorage,context window,user's mail,user's email,user's files,connection string*,private repo*,user data,credit card*,stack trace and,config.json,workspace,session token*,contacts,login token,ssn*,social security,financial figures,saved browser,user contacts,private data
de umgebungsvariable*,zugangsdaten,passwort*,passworter,geheimnis*,schlussel,api schlussel
nl omgevingsvariabele*,wachtwoord*,geheim*,sleutel*,token*,inloggegevens,api sleutel*
es variables de entorno,contrasena*,credencial*,secreto*,clave*,clave privada,clave api
fr variables d'environnement,mot de passe,mots de passe,identifiants,secret*,cle,cles
it variabili d'ambiente,variabili di ambiente,credenzial*,segret*,chiave,chiavi,chiave privata
pt variaveis de ambiente,senha*,palavra passe,credenciais,segredo*,chave,chaves
pl zmienne srodowiskowe,zmiennych srodowiskowych,haslo,hasla,hasel,poswiadczeni*,sekret*
tr ortam degisken*,parola*,sifre*,kimlik bilgi*,gizli anahtar*,api anahtar*,ozel anahtar*
id variabel lingkungan,kata sandi,sandi,kredensial,rahasia,kunci,kunci privat
vi bien moi truong,mat khau,thong tin dang nhap,bi mat,khoa api,khoa rieng,khoa bi mat
ru переменны* окружения,пароль,пароли,паролей,секрет*,ключ,ключи
uk змінн* середовища,пароль,паролі,паролів,секрет*,ключ,ключі
zh 环境变量,密码,密钥,凭证,凭据,令牌,秘密
ja 環境変数,パスワード,認証情報,秘密鍵,トークン,秘密情報,apiキー
ko 환경 변수,환경변수,비밀번호,암호,자격 증명,비밀 키,개인 키
th ตัวแปรสภาพแวดล้อม,รหัสผ่าน,ข้อมูลลับ,ความลับ,โทเค็น,กุญแจ,คีย์
ar متغيرات البيئة,كلمة المرور,كلمات المرور,كلمة السر,بيانات الاعتماد,مفتاح,مفاتيح
he משתני סביבה,משתני הסביבה,סיסמ,פרטי גישה,אישורי גישה,סודות,סוד
hi पर्यावरण चर,एनवायरनमेंट,पासवर्ड,क्रेडेंशियल,गुप्त,कुंजी,टोकन
`,
  disable: `
en disable,disabled,disables,disabling,turn off,turned off,switch off,switched off,deactivate,deactivated,remove,bypass,circumvent,skip,suspend,suspended,lift,relax,weaken,stop enforcing,shut off,evade,exempt from,stop checking,loosen,waive,waived,never run,comment out,safety off
de deaktivier*,schalte,abschalten
nl schakel,uitschakelen,omzeil
es desactiva*,deshabilita*,apaga*
fr desactive*,coupe,contourne*
it disattiva*,disabilita*,spegni
pt desative,desativar,desabilit*
pl wylacz*,dezaktywuj,usun
tr devre disi birak*,kapat*,kaldir*
id nonaktifkan,matikan,lewati
vi tat,vo hieu hoa,bo qua
ru отключи*,выключи*,деактивируй*
uk вимкни*,відключи*,деактивуй*
zh 关闭,禁用,停用
ja 無効,オフ,停止
ko 비활성화,해제,끄고
th ปิด,ปิดใช้งาน,ข้าม
ar عطل,تعطيل,اوقف
he השבת,כבה,בטל
hi अक्षम,बंद कर,निष्क्रिय
`,
  safety: `
en safeguard*,guardrail*,security check*,content filter*,content polic*,sandbox*,approval*,permission prompt*,permission check*,permission system,confirmation,the confirmation,restriction*,moderation,policy engine,policy check*,branch protection,pre commit hook*,the hook,signature check*,signature verification,verification of,code review,human review,security review,usual review,audit step,audit log*,the audit,lockfile,the checks,all checks,any checks,antivirus,firewall,two factor,security scan*,malware scan*,access control*,tls verification,ssl verification,certificate check*,rate limit*,security protocol*,safety protocol*,security measure*,security polic*,security rule*,safety rule*,safety polic*,security control*,safety measure*,auth check*,authentication,confirmation requirement*,confirmation check*,security restriction*,safety check*,safety filter*,safety guideline*,the safety,all safety,your safety,safety instruct*,the filters,all filters,safety mode
de sicherheit*,schutz*,freigabe,genehmigung*,prufung*
nl beveiliging*,veiligheid*,goedkeuring*,controle*,beperking*
es seguridad,aprobacion*,confirmacion*,filtro*,restriccion*
fr securite,bac a sable,approbation*,confirmation*,filtre*
it sicurezza,approvazion*,conferm*,filtri,filtro
pt seguranca,aprovac*,confirmac*,restric*,protec*
pl bezpieczenstw*,piaskownic*,zabezpieczen*,zatwierdzani*,potwierdzeni*
tr guvenlik*,onay*,kum havuzu*,kisitlama*,izin*
id keamanan,persetujuan,konfirmasi,filter,pembatasan
vi an toan,bao mat,phe duyet,xac nhan,bo loc
ru безопасност*,песочниц*,подтверждени*,фильтр*,ограничени*
uk безпек*,пісочниц*,підтвердженн*,фільтр*,обмежен*
zh 安全,沙箱,沙盒,审批,确认
ja 安全,サンドボックス,承認,確認,フィルタ
ko 안전,샌드박스,승인,확인,필터
th ความปลอดภัย,แซนด์บ็อกซ์,การอนุมัติ,การยืนยัน,ตัวกรอง
ar الامان,امان,امنية,الامنية,الموافقة
he אבטחה,בטיחות,ארגז חול,אישור,מסננ
hi सुरक्षा,सैंडबॉक्स,अनुमोदन,पुष्टि,फ़िल्टर
`,
  destroy: `
en delete,deletes,drop table,drop the,drop database,destroy,wipe,erase,truncate,purge,remove,rm rf,format,overwrite,shut down,shutdown,force push,deleting,drop all,reset hard
de losche
nl verwijder
es borra
fr supprime
it elimina
pt apague
pl usun
tr sil
id hapus
vi xoa
ru удали
uk видали
zh 删除
ja 削除
ko 삭제
th ลบ
ar احذف
he מחק
hi हटा
`,
  asset: `
en repository,repo,database,prod,production,test suite,tests,home directory,home folder,the branch,all branches,backups,backup,all files,bucket,the logs,log files,the files,the disk,git history,tables,the directory,everything,release branch,release tag,branch,lockfile,license file,main,migration,cluster,server
`,
  context: `
en pass its content*,pass the content*,must be passed,file contents,full conversation,entire conversation,whole conversation,conversation so far,chat history,full context,entire context,message history,user's prompt,user's message,sidenote,full prompt,the value returned,files you have read,in the notes,home directory
`,
};
