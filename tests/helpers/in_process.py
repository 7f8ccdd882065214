"""A cluster inside this process, which does what a script says with the tasks that it is given."""

from __future__ import annotations

import pickle
import threading

from nearfar.scale.cluster import Cluster
from nearfar.scale.driver import Outcome, Patience, Worker
from nearfar.scale.spool import Spool


class InProcess(Cluster):
    """Does every task at once, from a copy of it as it would travel; loses those that ``loses`` says, by number.

    ``largest`` is the size of the largest task, ``calls`` lists the functions and parts, ``told`` what all were told.
    """

    def __init__(self, folder, loses=lambda number: False, workers=2, memory=0):
        self.name, self.spool = "a cluster in this process", Spool(str(folder))
        self.patience = Patience(first=60, least=60, times=60, losses=5)
        self.people = {f"w{i}": Worker(1, memory) for i in range(workers)}
        self.loses, self.largest, self.submitted, self.calls, self.wishes, self.told = loses, 0, 0, [], [], []

    def workers(self):
        return self.people

    def submit(self, task, report, avoid=()):
        self.submitted += 1
        data = pickle.dumps((task.function, task.args))
        self.largest = max(self.largest, len(data))
        self.calls.append((task.function.__name__, task.args[0].index))
        self.wishes.append((task.args[0].index, task.wish))
        if self.loses(self.submitted):
            report(Outcome(lost="a worker died"))
            return self.submitted
        function, arguments = pickle.loads(data)
        done = []

        def work():  # not on the caller's thread, as in a worker
            try:
                done.append(Outcome(value=pickle.loads(pickle.dumps(function(*arguments)))))
            except Exception as error:
                done.append(Outcome(error=error))

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        report(done[0])
        return self.submitted

    def places(self, handles):
        return {}

    def cancel(self, handles):
        pass

    def tell(self, function, *args):
        self.told.append((function.__name__, *args))

    def require_alive(self):
        pass

    def close(self):
        self.spool.close()
