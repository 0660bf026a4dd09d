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

/** Putting something somewhere, changing what controls an agent, and the pretext that this fixes an error. */
export const CONTROLS: Lexicon = {
  put: `
en add,adding,append,write,writes,writing,put,putting,attach,paste,pasting,post,posting,upload,uploads,uploaded,uploading,echo,dump,hardcode,hard code,amend,publish,open an/a issue/ticket,open a new issue,append the,commit the/it/them/that/this/your,commit to,note down,jot down,write down,back up,include the,stash,committing the/it,commits the/it,hand over,hand the,drop the,leave it,leave the,leave a,copy the,copy your,list the,list all,store the,save the,insert the,print the,show the,place the,hands over,write out,attaching,saving,screenshot,post it,put it,include the/our/your/its/all/user's,including the,we need the,embed the,encode the/them/it,quote the,email the/me,mail me/the,make the,name the,create a file,set the title/description
de schreib*,trag,trage,eintragen,setz,setze,fug*,leg,lege,stell*,hang*,pack*,poste*,kopier*
nl zet,schrijf,plaats,voeg,plak,noteer,vermeld
es escrib*,pon,ponga,poner,agrega,agregue,anade,anada,incluye,incluya,coloca,coloque,pega,adjunta
fr mets,mettez,mettre,ecris,ecrivez,ecrire,ajoute*,inscris,inscrivez,colle,collez,joins,insere*
it scrivi,scrivere,scrivete,metti,mettere,inserisci,inserire,aggiungi,includi,allega,incolla
pt escreva,escreve,ponha,inclua,adicione,insira,anexe,coloca
pl wpisz,zapisz,umiesc,dodaj,wstaw,dolacz,napisz,wklej
tr yaz,yazin,yaziniz,ekle,ekleyin,koy,koyun,yapistir
id tulis,tuliskan,masukkan,taruh,letakkan,tambahkan,cantumkan,sertakan,tempelkan
vi ghi,viet,dan,them,dua,dien
ru запиши*,напиши*,впиши*,добавь*,помести*,вставь*,положи*,укажи*,приложи*,скопируй*
uk запиши*,напиши*,впиши*,додай*,помісти*,встав*,поклади*,вкажи*,скопіюй*
zh 写进,写入,写到,写在,放进,放到,放入,添加,加入,加到,填入,贴到,附上,贴在,放在
ja 書いて,書き,書け,記入,追加,貼っ,含め,入れ,載せ,記載
ko 적어,적으,써,쓰세요,추가,넣어,넣으,기입,포함,붙여
th เขียน,ใส่,เพิ่ม,แนบ,วาง
ar اكتب,ضع,اضف,ادرج,ارفق,الصق
he כתוב,כתבו,שים,הוסף,הכנס,צרף,רשום
hi लिख,डाल,जोड़,शामिल कर
`,
  change: `
en delete,deleting,remove,removes,removing,replace,replacing,edit,edits,editing,set,sets,setting,change,changing,switch,switches,switching,turn,turning,add,adds,adding,append,write,writing,register,registers,connect,connects,comment out,clear,clearing,modify,modifying,loosen,widen,reset,overwrite,alter,put,disable,disables,disabling,uninstall,unset,drop,rename,enable,enabling,export the,saving,chmod,elevate,elevates
de entfern*,losch*,setze,setzen,ander*,erganz*,hinzuf*,fug*,deaktivier*,ersetz*,registrier*,eintragen,abschalt*,erweiter*
nl verwijder*,wijzig*,voeg,toevoegen,toe te voegen,vervang*,registreer*,uitschakel*,uit te schakelen
es elimin*,borr*,quit*,anad*,agreg*,cambi*,modific*,registr*,reemplaz*,desactiv*,edit*
fr supprim*,retir*,enlev*,ajout*,modifi*,chang*,desactiv*,remplac*,enregistr*
it rimuov*,cancell*,aggiung*,disattiv*,sostitu*
pt remov*,apag*,exclu*,adicion*,alter*,mudar,mude,desativ*,substitu*
pl usun*,dodaj*,dodac,zmien*,wylacz*,zastap*,edytuj*,zarejestr*
tr kaldir*,sil,silin,silmeli*,silmesi,ekle*,degistir*,kapat*,duzenle*,ayarla*
id hapus*,menghapus,tambah*,menambah*,ubah,mengubah,nonaktifkan,menonaktifkan,ganti,mengganti,daftarkan,mendaftarkan
vi xoa,them,sua,thay doi,thay,tat,go bo,dang ky
ru удал*,добав*,измен*,отключ*,замен*,зарегистр*,убра*,убер*,редактир*
uk видал*,додай*,додати,змін*,вимк*,замін*,прибр*,зареєстр*
zh 删除,移除,添加,修改,更改,禁用,关闭,替换,改为,改成,注册
ja 削除,追加,変更,編集,無効,置き換え,登録,書き換え
ko 삭제,제거,추가,변경,수정,비활성,교체,등록
th ลบ,เพิ่ม,แก้ไข,เปลี่ยน,ปิด,ลงทะเบียน
ar حذف,احذف,اضافه,اضف,تعديل,عدل,تغيير,تعطيل,عطل,ازاله,ازل,تسجيل
he להסיר,הסר,מחק,למחוק,הוסף,להוסיף,שנה,לשנות,השבת,להשבית
hi हटा,मिटा,जोड़,बदल,अक्षम,बंद
`,
  control: `
en policy file/engine/rule*/block,policy.json/yaml/yml/toml,permission polic*/file*/rule*/list*/mode/setting*/section/prompt*/dialog*/check*/set,permissions file/section/block,workspace/security/approval/agent/network/sandbox/guard/tool policy,the/its/your/this policy,deny/allow/ask block/section/rule*/list/entry/entries,denylist,allowlist,whitelist,allow list,permitted commands,allowed commands/tools,approval mode/setting*/prompt*/step/dialog*,approvals,hooks section/block/entry/entries/array/config*/from/in,pretooluse,posttooluse,pre tool use,pre commit hook*,hook settings/config*,security/guard/safety/your/its/the hook*,mcp server*/config*/settings/list/entry,mcp configuration,sandbox mode/setting*/config*,the/its/your sandbox,auto approval,auto approve,trust level/list/settings/prompt/setting,trusted folder*,guardrail*,confirmation dialog*/prompt*,permission checks,its/your permissions,mcp,policy.yaml,settings.local,approval prompt,deny
de richtlinie*,berechtigung*,freigabe*,sperrregel*,mcp
nl beleid,toestemming*,machtiging*,hooks
es politica*,permisos,lista de permitidos,lista blanca
fr politique*,permissions,autorisations,liste blanche
it permessi,lista consentit*,autorizzazioni
pt permissoes,lista de permissoes,lista de permitidos
pl polityk*,uprawnien*,regul* deny,lista dozwolon*
tr politika*,izin*,kuralini
id kebijakan,izin,daftar izin
vi chinh sach,quyen
ru политик*,разрешени*,список разрешенн*
uk політик*,дозвол*
zh 策略,权限,白名单,钩子
ja ポリシー,権限,許可リスト,フック
ko 정책,권한,허용 목록,훅
th นโยบาย,สิทธิ์
ar السياسه,صلاحيات,اذونات
he המדיניות,הרשאות
hi नीति,अनुमति
`,
  remedy: `
en to resolve,to fix,to clear,to recover,to repair,to continue,to proceed,to unblock,to avoid this,to get past,to remedy,to correct,to work around,resolution,remedy,workaround,quick fix,fix for,can/may/could clear/fix/resolve/avoid/solve this/it,can be avoided/cleared/fixed/resolved,retry,retrying,try again,run again,rerun,resend,call this tool again,call again,repeat the command,run the suite/command/tests/build again,then continue,and continue,and carry on,for this fix,build again,lint again,restart,repair it,fix it,fix this,solve it,solve this,resolve it,resolve this,get through,known fix,if blocked,if refused,when blocked
de behebung,beheben,losung,erneut,nochmal,fortzufahren
nl oplossen,oplossing,verhelpen,opnieuw
es solucionar*,resolver*,corregir*,arreglar*,reintent*
fr corriger,resoudre,reparer,relanc*,reessay*,debloquer
it risolver*,corregger*,riprova*,sistemare
pt corrigir,tentar de novo,tente novamente,tentar novamente
pl naprawi*,rozwiaz*,ponownie,ponowic
tr cozmek,cozum*,duzeltmek,yeniden dene*,tekrar dene*
id memperbaiki*,mengatasi*,coba lagi,mencoba lagi,solusi
vi khac phuc,sua loi,thu lai,giai quyet
ru исправ*,устран*,повтор*
uk виправ*,усун*,повтор*
zh 解决,修复,重试,再试
ja 解決,修正する,再試行,やり直
ko 해결,다시 시도,재시도
th แก้ปัญหา,วิธีแก้,ลองใหม่
ar للحل,لحل,لاصلاح,اعاده المحاوله,حاول مره
he לתקן,לפתור,לנסות שוב,ונסה שוב
hi ठीक कर,समाधान,फिर कोशिश,दोबारा
`,
  record: `
en commit message*,commit it,committing,pull request,pr description/body/title/comment,the pr,this/the/an/new/public issue,issue description/comment,this/the ticket,readme,changelog,release notes,wiki,wiki page,footnote,code comment*,a/this/the comment,in a reply,ci log*,build log*,job output/log,build output,public folder/page/bucket/gist,the chat,your reply/answer/comment/summary,git history,a gist,the gist,public repo,public repository,text file,log file,status page,at the top of,docstring,release page,landing page,tag message,pr template,html comment,test fixture*,fixtures folder,public channel,this thread,the thread,a text file,the translation,a public file,this pr,committing the,committing it,homepage url,the error message,error messages,docs of,job summary,in the docs,into the docs,build artifact*,public artifact,commit,branch name,the branch,shared folder/drive/board
de commit nachricht*,kommentar*,beschreibung
nl reactie,beschrijving
es comentario*,descripcion
fr commentaire*
it commento,commenti,descrizione
pt descricao
pl komentarz*,opisie,commita,commicie
tr yorum*,aciklama*
id komentar,deskripsi
vi binh luan,mo ta
ru комментари*,описани*,коммит*
uk коментар*,опис*,коміт*
zh 提交信息,提交说明,评论,描述,议题
ja コミット,コメント,説明欄,イシュー
ko 커밋,댓글,이슈,코멘트
th ความคิดเห็น,คำอธิบาย
ar تعليق,وصف,التزام
he תגובה,תיאור
hi कमिट,टिप्पणी,विवरण
`,
  asker: `
en with me/us,to me/us,me the/your/a/all,us the/your/a/all
de mir,an mich,uns
nl mij,aan mij,ons
es dame,mandame,enviame
fr moi,envoie moi,donne moi
it mandami,dammi,inviami
pt me envie,me mande,para mim
pl mi,do mnie
ru мне
uk мені
zh 给我,发我
ja 私に,教えて
ko 나에게,저에게
`,
  machine: `
en compiler,parser,linter,interpreter,formatter,bundler,browser,browsers,optimizer,optimiser,preprocessor,lexer,tokenizer,assembler,scheduler,crawler,driver,kernel,test runner,iterator,loader,matcher,decoder,server,plugin
de ubersetzer
nl vertaler
es compilador,analizador,navegador,servidor
fr compilateur,analyseur,navigateur,serveur
it compilatore
pt analisador
pl kompilator,przegladarka,serwer
tr derleyici,ayristirici,tarayici,sunucu
id kompilator,pengurai,peramban
vi trinh bien dich,trinh duyet,may chu
ru компилятор*,парсер*,линтер*,браузер*,сервер*
uk компілятор*,парсер*,браузер*,сервер*
zh 编译器,解析器,浏览器,服务器,程序
ja コンパイラ,パーサ,ブラウザ,サーバ
ko 컴파일러,파서,브라우저,서버
th คอมไพเลอร์,เบราว์เซอร์,เซิร์ฟเวอร์
ar المترجم,المحلل,المتصفح,الخادم
he המהדר,הדפדפן,השרת
hi कंपाइलर,ब्राउज़र,सर्वर,पार्सर
`,
};
