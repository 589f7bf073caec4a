package unsubscribe

import "golang.org/x/text/language"

// wording is what the page says in one language.
type wording struct {
	leave, comeBack string // what the buttons do
	list, sender    string // what stands before a list's name and a sender's address

	asking, done, undone, kept, redirected, notGood, noForm, failed notice
}

// notice is the title of a page, and what it says.
type notice struct{ title, text string }

// languages are those of the page. The first one is for whoever reads none of them.
var languages = []language.Tag{
	language.English, language.German, language.French, language.Spanish, language.Italian, language.Dutch,
	language.Portuguese,
}

// matcher finds the language that suits a reader best (RFC 4647).
var matcher = language.NewMatcher(languages)

// languageOf returns the language of the page for a reader, by the value of his header field Accept-Language (RFC 9110
// section 12.5.4).
func languageOf(accepted string) language.Tag {
	_, i := language.MatchStrings(matcher, accepted)
	return languages[i]
}

// wordings has the texts of all languages.
var wordings = map[language.Tag]wording{
	language.English: {
		leave:    "Unsubscribe",
		comeBack: "Get these mails again",
		list:     "List",
		sender:   "Sender",
		asking:   notice{"Stop these mails?", "You will get no more mails like the one with this link."},
		done: notice{
			"You are unsubscribed",
			"You will get no more mails like the one with this link. One that is under way may still come.",
		},
		undone: notice{
			"You get these mails again",
			"You will get mails like the one with this link, as before.",
		},
		kept: notice{
			"You stay unsubscribed",
			"The sender has noted that you want no more of these mails. A link cannot change that. " +
				"Write to the sender if you want them again.",
		},
		redirected: notice{
			"This link changes nothing",
			"The mail with it was redirected. The link to unsubscribe is in the mail that its recipient would get.",
		},
		notGood: notice{
			"This link does not work",
			"Open the whole link that is in the mail, or copy all of it into the address bar.",
		},
		noForm: notice{"Nothing was changed", "Open the link from the mail once more, and use its button."},
		failed: notice{"That did not work", "It may not be done. Try again in a moment."},
	},
	language.German: {
		leave:    "Abmelden",
		comeBack: "Diese E-Mails wieder bekommen",
		list:     "Liste",
		sender:   "Absender",
		asking: notice{
			"Diese E-Mails abbestellen?",
			"Sie bekommen dann keine E-Mails mehr wie die mit diesem Link.",
		},
		done: notice{
			"Sie sind abgemeldet",
			"Sie bekommen keine E-Mails mehr wie die mit diesem Link. Eine, die schon unterwegs ist, kann noch " +
				"ankommen.",
		},
		undone: notice{
			"Sie bekommen diese E-Mails wieder",
			"Sie bekommen wie zuvor E-Mails wie die mit diesem Link.",
		},
		kept: notice{
			"Sie bleiben abgemeldet",
			"Der Absender hat vermerkt, dass Sie diese E-Mails nicht mehr wünschen. Ein Link kann das nicht ändern. " +
				"Schreiben Sie dem Absender, wenn Sie sie wieder bekommen möchten.",
		},
		redirected: notice{
			"Dieser Link ändert nichts",
			"Die E-Mail mit diesem Link wurde umgeleitet. Der Link zum Abmelden steht in der E-Mail, die ihr " +
				"Empfänger bekäme.",
		},
		notGood: notice{
			"Dieser Link funktioniert nicht",
			"Öffnen Sie den ganzen Link aus der E-Mail, oder kopieren Sie ihn vollständig in die Adresszeile.",
		},
		noForm: notice{
			"Nichts wurde geändert",
			"Öffnen Sie den Link aus der E-Mail noch einmal, und benutzen Sie die Schaltfläche.",
		},
		failed: notice{
			"Das hat nicht geklappt",
			"Vielleicht sind Sie noch nicht abgemeldet. Versuchen Sie es gleich noch einmal.",
		},
	},
	language.French: {
		leave:    "Se désabonner",
		comeBack: "Recevoir à nouveau ces e-mails",
		list:     "Liste",
		sender:   "Expéditeur",
		asking: notice{
			"Ne plus recevoir ces e-mails\u00a0?",
			"Vous ne recevrez plus d’e-mails comme celui qui contient ce lien.",
		},
		done: notice{
			"Votre désabonnement est enregistré",
			"Vous ne recevrez plus d’e-mails comme celui qui contient ce lien. Un e-mail déjà en route peut encore " +
				"arriver.",
		},
		undone: notice{
			"Vous recevez à nouveau ces e-mails",
			"Vous recevrez, comme avant, des e-mails comme celui qui contient ce lien.",
		},
		kept: notice{
			"Votre désabonnement reste en vigueur",
			"L’expéditeur a noté que vous ne souhaitez plus recevoir ces e-mails. Un lien ne peut pas changer cela. " +
				"Écrivez à l’expéditeur si vous souhaitez les recevoir à nouveau.",
		},
		redirected: notice{
			"Ce lien ne change rien",
			"L’e-mail qui le contient a été redirigé. Le lien de désabonnement se trouve dans l’e-mail que recevrait " +
				"son destinataire.",
		},
		notGood: notice{
			"Ce lien ne fonctionne pas",
			"Ouvrez le lien entier qui figure dans l’e-mail, ou copiez-le en entier dans la barre d’adresse.",
		},
		noForm: notice{"Rien n’a été modifié", "Ouvrez encore une fois le lien de l’e-mail et utilisez son bouton."},
		failed: notice{"Cela n’a pas fonctionné", "Il se peut que rien n’ait été fait. Réessayez dans un instant."},
	},
	language.Spanish: {
		leave:    "Darse de baja",
		comeBack: "Volver a recibir estos correos",
		list:     "Lista",
		sender:   "Remitente",
		asking: notice{
			"¿Dejar de recibir estos correos?",
			"No recibirá más correos como el que contiene este enlace.",
		},
		done: notice{
			"Se ha dado de baja",
			"No recibirá más correos como el que contiene este enlace. Aún puede llegar alguno que ya esté en camino.",
		},
		undone: notice{
			"Vuelve a recibir estos correos",
			"Recibirá, como antes, correos como el que contiene este enlace.",
		},
		kept: notice{
			"Su baja sigue vigente",
			"El remitente ha anotado que usted no desea recibir más estos correos. Un enlace no puede cambiarlo. " +
				"Escriba al remitente si quiere volver a recibirlos.",
		},
		redirected: notice{
			"Este enlace no cambia nada",
			"El correo que lo contiene fue redirigido. El enlace para darse de baja está en el correo que recibiría " +
				"su destinatario.",
		},
		notGood: notice{
			"Este enlace no funciona",
			"Abra el enlace completo que está en el correo, o cópielo entero en la barra de direcciones.",
		},
		noForm: notice{"No se ha cambiado nada", "Abra otra vez el enlace del correo y use su botón."},
		failed: notice{"No ha funcionado", "Puede que no se haya hecho. Inténtelo de nuevo en un momento."},
	},
	language.Italian: {
		leave:    "Annulla l’iscrizione",
		comeBack: "Ricevi di nuovo queste e-mail",
		list:     "Lista",
		sender:   "Mittente",
		asking: notice{
			"Non ricevere più queste e-mail?",
			"Non riceverà più e-mail come quella che contiene questo link.",
		},
		done: notice{
			"Iscrizione annullata",
			"Non riceverà più e-mail come quella che contiene questo link. Una già in viaggio può ancora arrivare.",
		},
		undone: notice{
			"Riceve di nuovo queste e-mail",
			"Riceverà, come prima, e-mail come quella che contiene questo link.",
		},
		kept: notice{
			"L’iscrizione resta annullata",
			"Il mittente ha annotato che non desidera più ricevere queste e-mail. Un link non può cambiarlo. " +
				"Scriva al mittente se desidera riceverle di nuovo.",
		},
		redirected: notice{
			"Questo link non cambia nulla",
			"L’e-mail che lo contiene è stata reindirizzata. Il link per annullare l’iscrizione si trova nell’e-mail " +
				"che riceverebbe il suo destinatario.",
		},
		notGood: notice{
			"Questo link non funziona",
			"Apra il link intero che si trova nell’e-mail, oppure lo copi per intero nella barra degli indirizzi.",
		},
		noForm: notice{
			"Non è stato cambiato nulla",
			"Apra ancora una volta il link dell’e-mail e usi il suo pulsante.",
		},
		failed: notice{"Non ha funzionato", "Forse non è stato fatto nulla. Riprovi tra un momento."},
	},
	language.Dutch: {
		leave:    "Afmelden",
		comeBack: "Deze e-mails weer ontvangen",
		list:     "Lijst",
		sender:   "Afzender",
		asking: notice{
			"Deze e-mails niet meer ontvangen?",
			"U ontvangt dan geen e-mails meer zoals die met deze link.",
		},
		done: notice{
			"U bent afgemeld",
			"U ontvangt geen e-mails meer zoals die met deze link. Een e-mail die al onderweg is, kan nog aankomen.",
		},
		undone: notice{
			"U ontvangt deze e-mails weer",
			"U ontvangt, net als voorheen, e-mails zoals die met deze link.",
		},
		kept: notice{
			"U blijft afgemeld",
			"De afzender heeft genoteerd dat u deze e-mails niet meer wilt ontvangen. Een link kan dat niet " +
				"veranderen. Schrijf de afzender als u ze weer wilt ontvangen.",
		},
		redirected: notice{
			"Deze link verandert niets",
			"De e-mail met deze link is omgeleid. De link om u af te melden staat in de e-mail die de ontvanger zou " +
				"krijgen.",
		},
		notGood: notice{
			"Deze link werkt niet",
			"Open de hele link uit de e-mail, of kopieer hem helemaal naar de adresbalk.",
		},
		noForm: notice{"Er is niets gewijzigd", "Open de link uit de e-mail nog een keer en gebruik de knop."},
		failed: notice{"Dat is niet gelukt", "Misschien is er niets gebeurd. Probeer het zo meteen opnieuw."},
	},
	language.Portuguese: {
		leave:    "Cancelar a inscrição",
		comeBack: "Voltar a receber estes e-mails",
		list:     "Lista",
		sender:   "Remetente",
		asking: notice{
			"Deixar de receber estes e-mails?",
			"Não receberá mais e-mails como o que contém este link.",
		},
		done: notice{
			"Inscrição cancelada",
			"Não receberá mais e-mails como o que contém este link. Um que já esteja a caminho ainda pode chegar.",
		},
		undone: notice{
			"Volta a receber estes e-mails",
			"Receberá, como antes, e-mails como o que contém este link.",
		},
		kept: notice{
			"A inscrição continua cancelada",
			"O remetente anotou que não deseja mais receber estes e-mails. Um link não pode mudar isso. " +
				"Escreva ao remetente se quiser voltar a recebê-los.",
		},
		redirected: notice{
			"Este link não muda nada",
			"O e-mail que o contém foi redirecionado. O link para cancelar a inscrição está no e-mail que o " +
				"destinatário receberia.",
		},
		notGood: notice{
			"Este link não funciona",
			"Abra o link inteiro que está no e-mail, ou copie-o por inteiro para a barra de endereços.",
		},
		noForm: notice{"Nada foi alterado", "Abra mais uma vez o link do e-mail e use o botão."},
		failed: notice{"Não funcionou", "Talvez nada tenha sido feito. Tente novamente daqui a pouco."},
	},
}
