import type { Lexicon } from "./concept.ts";

/** Actions and their objects. A `token` may be a grammar term; a `secret` is always a secret. */
export const DEEDS: Lexicon = {
  run: `
en run,rerun,execute,exec,invoke,call,launch,install,eval,trigger,visit,download,deploy,merge,commit,push,executing,running,proceed,apply,submit,fetch,start,go ahead,do it,open a shell/reverse,navigate to,do the migration
de fuhre,ausfuhren,fuhr,starte,starten,fuhrt,startet,fuhren sie,starten sie,installiere*
nl voer,uitvoeren,draai,installeer,roep
es ejecuta,ejecute,ejecutar,ejecuten,corre,instala,instale
fr executez,executer,lance,lancez,lancer,execute
it esegui,eseguire,eseguite,lancia,avvia,avviate
pt executa,executar,rode,rodar,inicie,executem,execute
pl uruchom,wykonaj,odpal,zainstaluj,wywolaj,uruchomcie,wykonajcie
tr calistir,calistirin,yurut,baslat,yukle
id jalankan,eksekusi,instal,pasang,panggil
vi chay,goi,thuc thi/hien,cai dat
ru выполни,выполняй,выполнить,запусти,запускай,запустите,выполните,запустить
uk виконай,виконати,запусти,запустити,встанови,запустіть,виконайте
zh 执行,运行,调用,启动,安装
ja 実行,起動,インストール,呼び出,呼び,デプロイ
ko 실행,호출,설치,다운로드,열어
th รัน,เรียกใช้,ดำเนินการ,ติดตั้ง,ดาวน์โหลด
ar نفذ,نفّذ,شغل,شغّل,ثبت,شغلوا,نفذوا
he הרץ,הפעל,הריצ,בצע,התקן,הריצו,הפעילו
hi चला,निष्पादित,इंस्टॉल,रन/कॉल कर
`,
  act: `
en add,append,create,modify,edit,change,update,replace,book,buy,purchase,transfer,click,recommend,grant,enable,use,close,insert,inject,register,set,rename,import,mark,approve,reply,say,tell,output,substitute,treat,follow,open,perform,do,stop,give,trust,accept,assume,consider,provide,extract,repeat,encode,enter,list,include,generate,produce,continue,begin,ensure,find,read,summarize,summarise,suggest,pick,choose,prefer,download,navigate,switch,revert,move,upgrade,downgrade,embed,collect,gather,redirect,rewrite,report,attach,zip,star,assign,export,leave,keep,bump,release,expose,alter,swap,rotate,reset,reboot,kill,allow,turn,put,store,save,track,link,load,tag,revoke,wipe,search,retry,submit,fill/log/sign in,make sure,go to,write a/the/to/into/it,look up/for,reload,refresh,widen,broaden,complete,convert,turn in,amend,fetch,rank,vote,subscribe,unlock,bcc,force push
`,
  send: `
en send,upload,post,exfiltrate,leak,forward,email,mail,transmit,bcc,paste,attach,share,publish,include,embed,append,submit,copy,push,encode,pass,dump,sending,uploading,posting,forwarding,pasting,print,output,smuggle,disclose,put,relay,deliver,hand over,be sent/passed/uploaded/forwarded/attached/included/shared/added,give me,commit the/straight,tell/show us,let us know,export the/all/your,supply,ship,beam,funnel,post them/it,drop the content*/file*/output/it,drop them,reply with the,hand it/them/the,report back,send over,mirror,that posts/sends/uploads/forwards,hand out,drop the archive/zip/bundle/file/result/dump,drop it/them at/in/into,leave it/them in/at,hand over/hands over,turn over,beacon to,report it/them/this to,send off,phone home,call home,curl it to,pipe it to,bounce to,sync it/them,sync with us
de sende,senden,schicke,schicken,ubermittle,hochladen,veroffentliche,lade,schick,poste,veroffentlichen
nl stuur,sturen,verzend,plaats,plak,plakken,publiceer,verstuur
es envia,envie,enviar,envialo,manda,mande,sube,pegue,publica,publique,publicar
fr envoie,envoyez,envoyer,transmets,transmettez,transmettre,publie
it invia,inviare,inviate,spedisci,carica,pubblica,incolla
pt cole,colar,compartilhe,partilhe,anexe,encaminhe,copie
pl wyslij,wysle,wyslac,przeslij,przesle,opublikuj,wklej
tr gonder,yolla,ilet,paylas,yapistir,yayinla,yayimla
id kirim,kirimkan,mengirim,unggah,tempel,tempelkan,bagikan
vi truyen,tai len,chia se,chuyen tiep,sao chep,cong bo,dinh kem
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
en here,gist,pastebin,webhook,external,publicly,telegram,discord,parameter,argument,header,this ticket/issue/thread/comment,your comment/answer/reply/response/review/result/output/next,the comment/pr/review/answer/url/summary/title/form,a comment,pr description,pull request,commit message,my/our/remote server,the notes field,search query,query string,slack channel,to me/us,with me,next agent,me the output/contents/value,me your,public repo/repository/issue/page/channel/link/bucket,external server/endpoint/service/host/address,following address/url/endpoint,this url/address/endpoint/form/page/chat,query parameter,in a comment/reply,as a comment,release notes,dns query/lookup,hint field,into the url/issue/chat,the description,its query,support bot,with support,the ticket/thread/chat/changelog,remote endpoint/address,search box/bar/field,the form/box/field,form on,page's form,my inbox,to this thread,shared folder,make it public,the search,reply to me,reply to this,so that i can,so i can,i can log in,to log in,me the,me a copy
de hier,in den kommentar
nl in je antwoord/reactie
es aqui,en este comentario
fr ici,dans ce commentaire
it qui,in questo commento
pt neste comentario,na sua resposta
pl tutaj,w komentarzu
tr buraya,yoruma
id di sini/komentar
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
  token: `
en token,tokens,secret,secrets,workspace,contacts,cookies,vault,config.json,context window,source tree,the keys,the environment/conversation
pl tokeny
`,
  secret: `
en printenv,credential*,password*,passphrase,wallet,keychain,localstorage,ssn*,env vars/var/file*,environment variable*,all/your env,api key*/token*,access token*,secret/ssh/signing/deploy key*,private key*/repo*/data,session cookie*/token*,seed phrase,chat/conversation/shell/bash/command history,conversation so far,customer list/data,personal data,user's mail/email/files,connection string*,user data/contacts,credit card*,stack trace and,login token,social security,financial figures,saved browser/password/card,authorization header,kube config,kubeconfig,keystore,recovery/backup codes,one time code*,2fa code*,card number*,customer records/database,database dump/password/url,service account*,session logs,secrets file,source archive,repository archive,aws/cloud/git/encryption/stripe/master keys,bearer token*,netrc,ssh folder/directory,browser history/cookies/profile,user's files/data/documents/inbox/card/address/name/token,private conversation*,secrets folder/directory,key material,your keys,api credentials,admin password,customers/customer/users/user/accounts table,customer/client export,customer/user/client emails,deploy keys,ssh keys,shell history,vault contents,contents of the vault,session token*,login cookie*,auth token*,npm token*,npm auth token,github token*,database password*,db password*,root password*,production password*,env file*,environment secrets,runner secrets,repo secrets,repository secrets,secrets.yml,secrets.yaml,secrets.json,passwords,card number,credential,the password,signing keys,pgp key*,gpg key*,service account key*,real/actual/production/prod/live/private/secret/signing/deploy/root/admin/master/auth/access/stripe/aws/github/npm/openai key*/token*/secret*/password*/credential*,your password*/credential*/secret*,cookie jar,password manager
de umgebungsvariable*,zugangsdaten,passwort*,passworter,geheimnis*,schlussel,api schlussel
nl omgevingsvariabele*,wachtwoord*,geheim*,sleutel*,inloggegevens,api sleutel*
es contrasena*,credencial*,secreto*,clave*,variables de entorno,clave privada/api
fr identifiants,secret*,cle,cles,variables d'environnement,mot/mots de passe
it credenzial*,segret*,chiave,chiavi,variabili d'ambiente,variabili di ambiente,chiave privata
pt senha*,credenciais,segredo*,chave,chaves,variaveis de ambiente,palavra passe
pl haslo,hasla,hasel,poswiadczeni*,sekret*,zmienne srodowiskowe,zmiennych srodowiskowych,klucz,klucze,kluczy
tr parola*,sifre*,ortam degisken*,kimlik bilgi*,gizli/api/ozel anahtar*,anahtar*
id sandi,kredensial,rahasia,kunci,variabel lingkungan,kata sandi,kunci privat
vi bien moi truong,mat khau,thong tin dang nhap,bi mat,khoa api/rieng,khoa bi mat,khoa
ru пароль,пароли,паролей,секрет*,ключ,ключи,переменны* окружения
uk пароль,паролі,паролів,секрет*,ключ,ключі,змінн* середовища
zh 环境变量,密码,密钥,凭证,凭据,令牌,秘密
ja 環境変数,パスワード,認証情報,秘密鍵,トークン,秘密情報,apiキー
ko 환경변수,비밀번호,암호,환경 변수,자격 증명,비밀/개인 키,토큰,키를
th ตัวแปรสภาพแวดล้อม,รหัสผ่าน,ข้อมูลลับ,ความลับ,โทเค็น,กุญแจ,คีย์
ar مفتاح,مفاتيح,متغيرات البيئة,كلمة المرور/السر,كلمات المرور,بيانات الاعتماد,كلمه مرور,كلمه سر,مرور قاعده
he סיסמ,סודות,סוד,משתני סביבה/הסביבה,פרטי/אישורי גישה,מפתח,מפתחות,הטוקן
hi एनवायरनमेंट,पासवर्ड,क्रेडेंशियल,गुप्त,कुंजी,टोकन,पर्यावरण चर
`,
  disable: `
en disable,disabled,disables,disabling,deactivate,deactivated,remove,bypass,circumvent,skip,suspend,suspended,lift,relax,weaken,evade,loosen,waive,waived,turn/turned/switch/switched/shut/safety off,stop enforcing/checking,exempt from,never run,comment out,step over,go around,stop using/running/asking/requesting/reporting,opt out of,silence the,mute the,get around,jump over,leave out the,omit the,work around,turning/switching off,skipping,removing,do not enforce,don't enforce,do not run,don't run,no verify,stripped,leave off,relaxed,loosened,weakened,skipped,bypassed,get rid of,rip out,knock out,neuter,slacken,turns off,unhook,lower your
de deaktivier*,schalte,abschalten
nl schakel,uitschakelen,omzeil
es desactiva*,deshabilita*,apaga*
fr desactive*,coupe,contourne*
it disattiva*,disabilita*,spegni
pt desative,desativar,desabilit*
pl wylacz*,dezaktywuj,usun
tr kapat*,kaldir*,devre disi birak*
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
hi अक्षम,निष्क्रिय,बंद कर
`,
  safety: `
en safeguard*,guardrail*,sandbox*,approval*,restriction*,moderation,lockfile,antivirus,firewall,authentication,security check*/review/scan*/protocol*/measure*/polic*/rule*/control*/restriction*/rules,content filter*/polic*,permission prompt*/check*/system,the confirmation/hook/audit/checks/safety/filters/tests/hooks,policy engine/check*,branch protection,pre commit hook*,signature check*/verification,verification of,code/human/usual review,audit step/log*,all checks/safety/filters,any checks,two factor,malware scan*,access control*,tls/ssl verification,certificate/auth check*,rate limit*/limiter,safety protocol*/rule*/polic*/measure*/check*/filter*/guideline*/instruct*/mode,confirmation requirement*/check*,your safety/hooks,deny rules,failing test*,its hooks,ci/status/all/the/your/these/those checks,test stage/step,security/vulnerability/secret/dependency scanner*,secret/vulnerability/dependency/pre commit scan*,the scanner/linter/gate/guard/policy/approvals/review/prompts/sandbox/scan/filter,required review*,code owners,audit trail/logging,tool approvals,safety net/features/layer/system*,the safeguards,protection*,permission dialog*,the permission system,allowlist check,code signing,content filtering,confirmation,confirmations,all confirmations,host key,ssl verify,sslverify,verification,ask list,safety rules,deny/ask list/section/entries/rule,safety training,input validation,license check,certificate checks,security test*,security rules,permission checks,security checks,lint and security,auth middleware,the middleware,your guard,cors policy,security tests,security warnings,the guard,safety layer,confirmation dialogs,your permission*,waiting for ci,trust prompt
de sicherheit*,schutz*,freigabe,genehmigung*,prufung*
nl beveiliging*,veiligheid*,goedkeuring*,controle*,beperking*,controles
es seguridad,aprobacion*,confirmacion*,filtro*,restriccion*,verificacion*,comprobacion*
fr securite,approbation*,confirmation*,filtre*,bac a sable,verification*,controle*
it sicurezza,approvazion*,conferm*,filtri,filtro,controlli
pt seguranca,aprovac*,confirmac*,restric*,protec*,verificac*
pl bezpieczenstw*,piaskownic*,zabezpieczen*,zatwierdzani*,potwierdzeni*,kontrol*
tr guvenlik*,onay*,kisitlama*,izin*,kum havuzu*
id keamanan,persetujuan,konfirmasi,filter,pembatasan,pemeriksaan
vi an toan,bao mat,phe duyet,xac nhan,bo loc,kiem tra
ru безопасност*,песочниц*,подтверждени*,фильтр*,ограничени*,проверк*
uk безпек*,пісочниц*,підтвердженн*,фільтр*,обмежен*,перевірк*
zh 安全,沙箱,沙盒,审批,确认
ja 安全,サンドボックス,承認,確認,フィルタ,チェック
ko 안전,샌드박스,승인,확인,필터,검사
th ความปลอดภัย,แซนด์บ็อกซ์,การอนุมัติ,การยืนยัน,ตัวกรอง,การตรวจสอบ
ar الامان,امان,امنية,الامنية,الموافقة,الفحوصات,فحص
he אבטחה,בטיחות,אישור,מסננ,ארגז חול,בדיקות
hi सुरक्षा,सैंडबॉक्स,अनुमोदन,पुष्टि,फ़िल्टर,जाँच,जांच
`,
  destroy: `
en delete,deletes,destroy,wipe,erase,truncate,purge,remove,format,overwrite,shutdown,deleting,drop table/the/database/all,rm rf,shut down,force push,reset hard,rm the/all
de losche,losch,loschen,vernichte*,zerstore*,entferne
nl verwijder,verwijderen,wis,vernietig*,gooi weg
es borra,borre,borrar,elimina,elimine,eliminar,destruye
fr supprime,supprimez,supprimer,efface,effacez,detruis,detruisez
it elimina,eliminare,cancella,cancellare,distruggi
pt apague,apagar,exclua,excluir,delete,destrua
pl usun,usunac,skasuj,zniszcz,wymaz
tr sil,silin,yok et,temizle
id hapus,menghapus,hapuskan,musnahkan
vi xoa,xoa bo,xoa sach
ru удали,удалить,сотри,уничтожь,удалите
uk видали,видалити,зітри,знищ,видаліть
zh 删除,清空,销毁,抹掉,删掉
ja 削除,消去,消して,破壊
ko 삭제,지워,제거,파기
th ลบ,ทำลาย
ar احذف,امسح,دمر,احذفوا
he מחק,מחקו,השמד
hi हटा,मिटा,नष्ट
`,
  asset: `
en repository,repo,database,prod,production,tests,backups,backup,bucket,tables,branch,lockfile,main,migration,cluster,server,history,test suite,home directory/folder,all branches/files,log files/file*,git history,release branch/tag,license file,the branch/files/disk/directory,audit logs,all logs,the backups,the tests folder,tests folder,test folder,audit log,the prod,the workflows,the database,the table,the repo,everything
de datenbank*,sicherung*,backups,ordner,produktion*,dateien
nl databank*,database,back ups,bestanden,map
es base de datos,copias de seguridad,respaldos,archivos,carpeta,repositorio
fr base de donnees,sauvegarde*,fichiers,dossier,depot
it copie di backup,cartella,archivio
pt banco de dados,base de dados,arquivos,pasta,repositorio
pl baze danych,bazy danych,kopie zapasowe,pliki,repozytorium
tr veritaban*,yedek*,dosyalar*,depoyu
id basis data,berkas,cadangan,repositori
vi co so du lieu,ban sao luu,tep,kho ma
ru резервн* копи*,баз* данных,базу,файлы,репозитори*
uk резервн* копі*,баз* даних,базу,файли,репозиторі*
zh 数据库,备份,仓库,文件
ja データベース,バックアップ,リポジトリ,ファイル
ko 데이터베이스,백업,저장소,파일
th ฐานข้อมูล,ข้อมูลสำรอง,ไฟล์
ar قاعده البيانات,النسخ الاحتياطي,الملفات
he מסד הנתונים,גיבוי,קבצים
hi डेटाबेस,बैकअप,फ़ाइल
`,
  context: `
en sidenote,pass its content*,pass the content*,must be passed,file contents,full conversation/context/prompt,entire conversation/context,whole conversation,conversation so far,chat/message history,user's prompt/message,the value returned,files you have read,in the notes,home directory,user's last/messages/question/files/data,last messages,last five/ten/three,previous messages,open file*,its content*,their content*,the conversation,your instructions,all previous messages,the system prompt,file's content*,the chat,this chat,summary of the chat/conversation,the document's content*,tool call*,arguments of,complete conversation,chat transcript,everything discussed,session so far,everything you have read,directory listing
`,
};
