class Shelf(dict):
    def put(self, name):
        def decorate(cls):
            self[name] = cls
            return cls

        return decorate


SHELF = Shelf()
