import type { Lexicon } from "./concept.ts";

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
