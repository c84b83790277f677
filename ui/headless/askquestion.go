package headless

import (
	"context"
	"strconv"
	"strings"

	"keva/agent/event"
	"keva/agent/runtime"
)

// question takes the answer to one question of a request, and asks the next one or answers the request.
func (a *asker) question(ctx context.Context, text string) {
	qs := a.current.Question.Questions
	if a.step < len(qs) {
		q := qs[a.step]
		picked, problem := pick(q, text)
		if problem != "" {
			a.again(ctx, problem)
			return
		}
		if len(picked) > 0 {
			a.answer[q.ID] = picked
		}
		a.step++
	}
	if a.step < len(qs) {
		a.showQuestion(qs[a.step])
		a.read(ctx)
		return
	}
	if len(a.answer) == 0 {
		a.close(ctx, runtime.Answer{Decision: event.Deny, Reason: "The user did not answer."})
		return
	}
	a.close(ctx, runtime.Answer{Decision: event.Allow, Answers: a.answer})
}

// pick reads the numbers of options, or a free answer. An empty line is no answer.
func pick(q event.Question, text string) (picked []string, problem string) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, ""
	}
	for _, f := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		n, err := strconv.Atoi(f)
		if err != nil || n < 1 || n > len(q.Options) {
			if q.Free || len(q.Options) == 0 {
				return []string{text}, ""
			}
			return nil, "Type the number of an answer, or Enter to skip."
		}
		picked = append(picked, q.Options[n-1].Label)
	}
	if len(picked) > 1 && !q.Multi {
		return nil, "Only one answer is possible. Type its number."
	}
	return picked, ""
}

func (a *asker) showQuestion(q event.Question) {
	p := &a.run.err
	for i, l := range strings.Split(clean(q.Text), "\n") {
		if i == 0 && q.Header != "" {
			l = oneLine(q.Header, 60) + ": " + l
		}
		p.line("  " + l)
	}
	for i, o := range q.Options {
		p.line("  " + strconv.Itoa(i+1) + "  " + oneLine(o.Label, 200) + p.in(muted, details(oneLine(o.Detail, 200))))
	}
	switch {
	case len(q.Options) == 0:
		p.line("Your answer (Enter to skip):")
	case q.Multi && q.Free:
		p.line("Numbers, or your own words (Enter to skip):")
	case q.Multi:
		p.line("Numbers (Enter to skip):")
	case q.Free:
		p.line("A number, or your own words (Enter to skip):")
	default:
		p.line("A number (Enter to skip):")
	}
}
