package turn

// index finds the latest entry of an id. It is rebuilt when the state came from somewhere else (a decoder, a copy).
type index struct {
	turns, tasks, items, requests map[string]int
	queued                        map[string]bool
}

func (s *State) ensure() {
	if s.idx.turns != nil {
		return
	}
	s.idx = index{map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, map[string]bool{}}
	for i := range s.Turns {
		s.idx.turns[s.Turns[i].ID] = i
	}
	for i := range s.Tasks {
		s.idx.tasks[s.Tasks[i].ID] = i
	}
	for i := range s.Items {
		s.idx.items[s.Items[i].ID] = i
	}
	for i := range s.Requests {
		s.idx.requests[s.Requests[i].ID] = i
	}
	for _, id := range s.Queue {
		s.idx.queued[id] = true
	}
	if s.Unrecognised == nil {
		s.Unrecognised = map[string]int{}
	}
}

func find[T any](m map[string]int, list []T, id string) *T {
	if i, ok := m[id]; ok && id != "" {
		return &list[i]
	}
	return nil
}

func add[T any](m map[string]int, list *[]T, id string, v T) *T {
	m[id] = len(*list)
	*list = append(*list, v)
	return &(*list)[m[id]]
}

// Turn finds a turn by id; the pointer is valid until the next Apply.
func (s *State) Turn(id string) *Turn { s.ensure(); return find(s.idx.turns, s.Turns, id) }

// Task finds the latest generation of a task by id; the pointer is valid until the next Apply.
func (s *State) Task(id string) *Task { s.ensure(); return find(s.idx.tasks, s.Tasks, id) }

// Item finds the latest item with this id; the pointer is valid until the next Apply.
func (s *State) Item(id string) *Item { s.ensure(); return find(s.idx.items, s.Items, id) }

// Request finds a request by id; the pointer is valid until the next Apply.
func (s *State) Request(id string) *Request { s.ensure(); return find(s.idx.requests, s.Requests, id) }
